import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import type { ContractRead } from "./contractRead";
import { type ReadResults, readMany } from "./readMany";

/** Makes the same few reads for each key, all of them together as `readMany` does; one row for each key, in order. */
export async function readTable<K, const T extends readonly ContractRead<unknown>[]>(
  client: ChainClient,
  keys: readonly K[],
  reads: (key: K) => T,
  block: ChainBlock,
): Promise<{ key: K; results: ReadResults<T> }[]> {
  const rows = keys.map((key) => ({ key, reads: reads(key) }));
  const results = await readMany(
    client,
    rows.flatMap((row): readonly ContractRead<unknown>[] => row.reads),
    block,
  );
  let start = 0;
  return rows.map(({ key, reads }) => {
    const own = results.slice(start, start + reads.length);
    start += reads.length;
    // The slice holds the results of exactly this row's reads, in their order.
    return { key, results: own as unknown as ReadResults<T> };
  });
}
