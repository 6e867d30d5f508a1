import { erc20Abi } from "@dueday/core/abi/erc20";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { contractRead } from "./contractRead";
import type { ReadResult } from "./readMany";
import { readTable } from "./readTable";

/** Whether a payer's allowance and balance are enough for one more payment. */
export type Cover = { allowanceCovers: boolean; balanceCovers: boolean };

export type ReadCoverParameters = {
  contract: Address;
  token: Address;
  payers: readonly Address[];
  /** Of one payment, token units. */
  units: bigint;
  block: ChainBlock;
};

/** What remit() would find at each payer, in their order (protocol part 5, rule 2c). A token that does not answer covers nothing. */
export async function readCover(
  client: ChainClient,
  { contract, token, payers, units, block }: ReadCoverParameters,
): Promise<Cover[]> {
  const rows = await readTable(
    client,
    payers,
    (payer) => [
      contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [payer, contract] }),
      contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [payer] }),
    ],
    block,
  );
  const covers = (result: ReadResult<bigint>) => result.ok && result.value >= units;
  return rows.map(({ results: [allowance, balance] }) => ({
    allowanceCovers: covers(allowance),
    balanceCovers: covers(balance),
  }));
}
