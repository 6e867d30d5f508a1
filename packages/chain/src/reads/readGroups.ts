import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import type { ContractRead } from "./contractRead";
import { type ReadResults, readMany } from "./readMany";

type Groups = readonly (readonly ContractRead<unknown>[])[];

/** Makes the reads of all groups together, as `readMany` does; the results by group, in order. */
export async function readGroups<const G extends Groups>(
  client: ChainClient,
  groups: G,
  block: Pick<ChainBlock, "hash">,
): Promise<{ -readonly [K in keyof G]: ReadResults<G[K]> }> {
  const results = await readMany(client, groups.flat(), block);
  let start = 0;
  const parts = groups.map((reads) => {
    const own = results.slice(start, start + reads.length);
    start += reads.length;
    return own;
  });
  // Each part holds the results of exactly its group's reads, in their order.
  return parts as unknown as { -readonly [K in keyof G]: ReadResults<G[K]> };
}
