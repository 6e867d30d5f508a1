import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import type { ContractRead } from "./contractRead";
import { readGroups } from "./readGroups";
import type { ReadResults } from "./readMany";

/** Makes the same few reads for each key, all of them together as `readMany` does; one row for each key, in order. */
export async function readTable<K, const T extends readonly ContractRead<unknown>[]>(
  client: ChainClient,
  keys: readonly K[],
  reads: (key: K) => T,
  block: ChainBlock,
): Promise<{ key: K; results: ReadResults<T> }[]> {
  const groups = await readGroups(
    client,
    keys.map((key) => reads(key)),
    block,
  );
  return keys.flatMap((key, index) => {
    const results = groups[index];
    return results === undefined ? [] : [{ key, results }];
  });
}
