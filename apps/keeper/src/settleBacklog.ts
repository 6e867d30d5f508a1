import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { parseRemitLogs, type RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { type Address, getAddress } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Api } from "./api";
import { checkTransaction } from "./checkTransaction";
import { type Economy, reasonNotToSend } from "./economy";
import type { KeeperNode } from "./node";
import { daysText, feesText } from "./planTable";
import { exitCode, Trouble } from "./trouble";

export type Settling = {
  api: Api;
  node: KeeperNode;
  account: PrivateKeyAccount;
  chainId: number;
  contract: Address;
  economy: Economy;
  /** Longest random pause before a transaction, so that several keepers do not act at the same moment. */
  jitterMs: number;
  print(line: string): void;
  /** Injected so that tests need not wait. */
  sleep(milliseconds: number): Promise<void>;
};

/** How many transactions were mined, and the block of the last one. */
export type Round = { transactions: number; lastBlock: bigint };

/**
 * One round: prepares once, checks, and sends the checked remit() as often as the plan behind it says. Before each, the keeper's own
 * node tells what it would meet after all that waits to be mined: where another keeper was faster, or it would be blocked or not
 * worth its gas, the round ends.
 *
 * @throws Trouble when the answer is refused, or a transaction reverts or changes nothing.
 */
export async function settleBacklog(settling: Settling, plan: RemitReadiness): Promise<Round> {
  const { api, node, account, chainId, contract, print } = settling;
  const round: Round = { transactions: 0, lastBlock: 0n };
  const prepared = await api.prepareRemit(account.address);
  if ("notReady" in prepared) {
    print(`not ready: ${prepared.notReady}`);
    return round;
  }
  const checked = checkTransaction(prepared.answer, { chainId, contract, from: account.address });
  if ("refused" in checked) {
    throw new Trouble(exitCode.REFUSED, `refused to sign what the API returned: ${checked.refused}`);
  }
  const { economy, jitterMs, sleep } = settling;
  const worths = economy.minProfitWei === null ? null : await api.worths(account.address, economy.prices);
  const most = Math.min(prepared.expectedTransactions, worths?.length ?? Number.POSITIVE_INFINITY);
  while (round.transactions < most) {
    if (jitterMs > 0) await sleep(Math.random() * jitterMs);
    const outlook = await node.prefetchSubscription(checked.transaction, account.address);
    const reason =
      "revert" in outlook
        ? outlook.revert.message
        : (overtaken(plan, round, outlook.nextUncheckedDay) ??
          reasonNotToSend(economy, worths?.[round.transactions] ?? null, outlook));
    if ("revert" in outlook || reason !== null) {
      print(`stopped before transaction ${round.transactions + 1}: ${reason}`);
      return round;
    }
    const receipt = await node.send(checked.transaction, outlook.gasLimit, account);
    if (receipt.status !== "success") {
      throw new Trouble(exitCode.TRANSACTION_FAILED, `transaction ${receipt.transactionHash} reverted`);
    }
    round.transactions++;
    round.lastBlock = receipt.blockNumber;
    const settled = parseRemitLogs(receipt.logs, { contract, caller: account.address });
    const count = `${round.transactions}/${prepared.expectedTransactions}`;
    print(`${count}  ${receipt.transactionHash}  ${settledText(settled, plan)}, gas ${receipt.gasUsed}`);
    if (settled.payments === 0 && settled.closesDays.length === 0) {
      throw new Trouble(exitCode.BLOCKED, "the last remit() changed nothing: the protocol is blocked");
    }
  }
  return round;
}

/** Says so when the day that the plan's next transaction begins with is closed already, or about to be. */
function overtaken(
  { nextUncheckedDay, plan }: RemitReadiness,
  { transactions }: Round,
  openDay: number,
): string | null {
  const closed = plan.transactions.slice(0, transactions).flatMap(({ closesDays }) => closesDays).length;
  // Beyond the listed transactions the plan does not tell.
  if (transactions > plan.transactions.length || openDay <= nextUncheckedDay + closed) return null;
  return "another keeper was faster";
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
