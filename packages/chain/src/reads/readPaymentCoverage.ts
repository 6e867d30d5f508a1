import { erc20Abi } from "@dueday/core/abi/erc20";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { coveredPeriods } from "../prepare/judgeSubscribe";
import { contractRead } from "./contractRead";
import type { ReadResult } from "./readMany";
import { readTable } from "./readTable";

/** Whether a subscriber's allowance and balance are enough for one more payment, and how many payments both cover. */
export type PaymentCoverage = { allowanceCovers: boolean; balanceCovers: boolean; coveredPayments: number };

export type ReadPaymentCoverageParameters<R> = {
  contract: Address;
  token: Address;
  subscribers: readonly R[];
  /** Of one payment, token units. */
  units: bigint;
  block: ChainBlock;
};

/**
 * The coverage that remit() would check for each subscriber, in their order (protocol part 5, rule 2c). A token that does not
 * answer covers nothing.
 */
export async function readPaymentCoverage<R extends { subscriber: Address }>(
  client: ChainClient,
  { contract, token, subscribers, units, block }: ReadPaymentCoverageParameters<R>,
): Promise<(R & PaymentCoverage)[]> {
  const rows = await readTable(
    client,
    subscribers,
    ({ subscriber }) => coverageReads(contract, { token, subscriber }),
    block,
  );
  return rows.map(({ key, results }) => ({ ...key, ...coverageOf(results, units) }));
}

/** The reads of `coverageOf`, for callers that have more to read in the same round trip. */
export function coverageReads(contract: Address, { token, subscriber }: { token: Address; subscriber: Address }) {
  return [
    contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [subscriber, contract] }),
    contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [subscriber] }),
  ] as const;
}

/** @param units of one payment */
export function coverageOf(
  [allowance, balance]: readonly [ReadResult<bigint>, ReadResult<bigint>],
  units: bigint,
): PaymentCoverage {
  const payments = ({ value }: { value: bigint }) => coveredPeriods({ units: value, charge: 0n, amount: units });
  return {
    allowanceCovers: allowance.ok && allowance.value >= units,
    balanceCovers: balance.ok && balance.value >= units,
    coveredPayments: allowance.ok && balance.ok ? Math.min(payments(allowance), payments(balance)) : 0,
  };
}
