import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { parseRemitLogs, type RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { type CheckedTransaction, checkPrepared } from "@dueday/sdk/actions";
import { type Address, getAddress } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Api } from "./api";
import { exitCode, KeeperError } from "./keeperError";
import { type CostLimits, limitGasPrice, type PlannedFees } from "./limitGasPrice";
import type { Gas, KeeperNode } from "./node";
import { daysText, feesText } from "./planTable";

export type SettleOptions = {
  api: Api;
  node: KeeperNode;
  account: PrivateKeyAccount;
  chainId: number;
  contract: Address;
  costLimits: CostLimits;
  /** Longest random pause before a transaction, so that several keepers do not act at the same moment. */
  jitterMs: number;
  print(line: string): void;
  /** Injected so that tests need not wait. */
  sleep(milliseconds: number): Promise<void>;
};

/** How many transactions were mined, and the block of the last one. */
export type Round = { transactions: number; lastBlock: bigint };

/**
 * One round: prepares once, checks, and sends the checked remit() as often as the plan behind it needs. Before each, the keeper's
 * own node estimates it on the pending state: the round ends where another keeper was faster, where it would revert, or where it
 * would pass the cost limits.
 *
 * @throws KeeperError when the answer is refused, or a transaction reverts or changes nothing.
 */
export async function settleBacklog(options: SettleOptions, plan: RemitReadiness): Promise<Round> {
  const { api, node, account, chainId, contract, costLimits, print } = options;
  const round: Round = { transactions: 0, lastBlock: 0n };
  const prepared = await api.prepareRemit(account.address);
  if ("notReady" in prepared) {
    print(`not ready: ${prepared.notReady}`);
    return round;
  }
  const call = { name: "remit()", data: encodeRemit() };
  const checked = checkPrepared(prepared.answer, { chainId, contract, from: account.address, call });
  if ("refused" in checked) {
    throw new KeeperError(exitCode.REFUSED, `refused to sign what the API returned: ${checked.refused}`);
  }
  const [transaction] = checked.transactions;
  const planned = costLimits.minProfitWei === null ? null : await api.plannedFees(account.address, costLimits.prices);
  const most = Math.min(prepared.expectedTransactions, planned?.length ?? Number.POSITIVE_INFINITY);
  while (round.transactions < most) {
    if (options.jitterMs > 0) await options.sleep(Math.random() * options.jitterMs);
    const next = await nextGas(options, { transaction, plan, round, planned: planned?.[round.transactions] ?? null });
    if ("reason" in next) {
      print(`stopped before transaction ${round.transactions + 1}: ${next.reason}`);
      return round;
    }
    const receipt = await node.send(transaction, next, account);
    if (receipt.status !== "success") {
      throw new KeeperError(exitCode.TRANSACTION_FAILED, `transaction ${receipt.transactionHash} reverted`);
    }
    round.transactions++;
    round.lastBlock = receipt.blockNumber;
    const settled = parseRemitLogs(receipt.logs, { contract, caller: account.address });
    const count = `${round.transactions}/${prepared.expectedTransactions}`;
    print(`${count}  ${receipt.transactionHash}  ${settledText(settled, plan)}, gas ${receipt.gasUsed}`);
    if (settled.payments === 0 && settled.closesDays.length === 0) {
      throw new KeeperError(exitCode.BLOCKED, "the last remit() changed nothing: the protocol is blocked");
    }
  }
  return round;
}

type NextTransaction = {
  transaction: CheckedTransaction;
  plan: RemitReadiness;
  round: Round;
  planned: PlannedFees | null;
};

/** The gas to sign the next transaction with, or the reason not to send it. */
async function nextGas(
  { node, account, costLimits }: SettleOptions,
  { transaction, plan, round, planned }: NextTransaction,
): Promise<Gas | { reason: string }> {
  const estimate = await node.estimateRemit(transaction, account.address);
  if ("revert" in estimate) return { reason: estimate.revert.message };
  if (isOvertaken(plan, round, estimate.nextUncheckedDay)) return { reason: "another keeper was faster" };
  const limited = limitGasPrice(costLimits, planned, estimate);
  return "reason" in limited ? limited : { ...estimate, ...limited };
}

/** Whether the day that the plan's next transaction begins with is closed already, or will be by a pending transaction. */
function isOvertaken({ nextUncheckedDay, plan }: RemitReadiness, { transactions }: Round, openDay: number): boolean {
  // The plan lists the first transactions only.
  if (transactions > plan.transactions.length) return false;
  const closed = plan.transactions.slice(0, transactions).flatMap(({ closesDays }) => closesDays).length;
  return openDay > nextUncheckedDay + closed;
}

function settledText(settled: RemitEffects, plan: RemitReadiness): string {
  const { closesDays, payments, failures, callerFees } = settled;
  const known = new Map(plan.economics.callerFees.map((fee) => [getAddress(fee.token), fee]));
  const fees = callerFees.map(({ token, units }) => {
    const { symbol, tokenDecimals } = known.get(token) ?? { symbol: `units of ${token}`, tokenDecimals: 0 };
    return { symbol, amount: amountFields(units, tokenDecimals).amount };
  });
  return `closed ${daysText(closesDays)}, ${payments} payments (${failures} failed), earned ${feesText(fees)}`;
}
