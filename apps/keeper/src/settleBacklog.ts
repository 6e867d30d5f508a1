import { amountFields } from "@dueday/core/amounts/tokenAmount";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { type Address, getAddress } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Api } from "./api";
import { checkTransaction } from "./checkTransaction";
import type { KeeperNode } from "./node";
import { daysText, feesText } from "./planTable";
import { type Settled, settledBy } from "./settledBy";
import { exitCode, Trouble } from "./trouble";

export type Settling = {
  api: Api;
  node: KeeperNode;
  account: PrivateKeyAccount;
  chainId: number;
  contract: Address;
  print(line: string): void;
};

/** How many transactions were mined, and the block of the last one. */
export type Round = { transactions: number; lastBlock: bigint };

/**
 * One round: prepares once, checks, and sends the checked remit() as often as the plan behind it says. Each is first tried on the
 * keeper's own node, so a round that another keeper overtakes ends without paying for a revert.
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
  while (round.transactions < prepared.expectedTransactions) {
    const estimate = await node.estimate(checked.transaction, account.address);
    if ("revert" in estimate) {
      print(`stopped before transaction ${round.transactions + 1}: ${estimate.revert.message}`);
      return round;
    }
    const receipt = await node.send(checked.transaction, estimate.gasLimit, account);
    if (receipt.status !== "success") {
      throw new Trouble(exitCode.TRANSACTION_FAILED, `transaction ${receipt.transactionHash} reverted`);
    }
    round.transactions++;
    round.lastBlock = receipt.blockNumber;
    const settled = settledBy(receipt.logs, contract, account.address);
    const count = `${round.transactions}/${prepared.expectedTransactions}`;
    print(`${count}  ${receipt.transactionHash}  ${settledText(settled, plan)}, gas ${receipt.gasUsed}`);
    if (settled.payments === 0 && settled.closedDays.length === 0) {
      throw new Trouble(exitCode.BLOCKED, "the last remit() changed nothing: the protocol is blocked");
    }
  }
  return round;
}

function settledText(settled: Settled, plan: RemitReadiness): string {
  const { closedDays, payments, failures, callerFees } = settled;
  const known = new Map(plan.economics.callerFees.map((fee) => [getAddress(fee.token), fee]));
  const fees = [...callerFees].map(([token, units]) => {
    const { symbol, tokenDecimals } = known.get(token) ?? { symbol: `units of ${token}`, tokenDecimals: 0 };
    return { symbol, amount: amountFields(units, tokenDecimals).amount };
  });
  return `closed ${daysText(closedDays)}, ${payments} payments (${failures} failed), earned ${feesText(fees)}`;
}
