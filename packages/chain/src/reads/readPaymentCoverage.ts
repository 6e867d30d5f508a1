import { erc20Abi } from "@dueday/core/abi/erc20";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { contractRead } from "./contractRead";
import type { ReadResult } from "./readMany";
import { readTable } from "./readTable";

/** Whether a subscriber's allowance and balance are enough for one more payment. */
export type PaymentCoverage = { allowanceCovers: boolean; balanceCovers: boolean };

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
    ({ subscriber }) => [
      contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [subscriber, contract] }),
      contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [subscriber] }),
    ],
    block,
  );
  const covers = (result: ReadResult<bigint>) => result.ok && result.value >= units;
  return rows.map(({ key, results: [allowance, balance] }) => ({
    ...key,
    allowanceCovers: covers(allowance),
    balanceCovers: covers(balance),
  }));
}
