import { type AsOf, Bytes32 } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { querySubgraph, type SubgraphEndpoint, SubgraphRefusal } from "./querySubgraph";

const Meta = Type.Object({
  _meta: Type.Object({
    block: Type.Object({
      number: Type.Integer({ minimum: 0 }),
      hash: Bytes32,
      timestamp: Type.Integer({ minimum: 0 }),
    }),
  }),
});

export type MetaOptions = SubgraphEndpoint & {
  /** Unix milliseconds. */
  clock: () => number;
  /** Time of the newest block that the chain's node showed, unix seconds; null before the first. */
  headTimestamp: () => bigint | null;
  /** A subgraph that is further behind the head is stale. */
  staleAfterMs: number;
};

/** Pause before an endpoint that has rejected a query for `_meta` is asked for it again: a gateway may have rejected only that one query. */
const PAUSE_MS = 600_000;

/** Reads the newest block of the subgraph. Null from an endpoint without `_meta`. */
export function createMeta(options: MetaOptions): () => Promise<AsOf | null> {
  const { clock, headTimestamp, staleAfterMs, ...endpoint } = options;
  let askAgainAt = 0;
  return async () => {
    if (clock() < askAgainAt) return null;
    try {
      const { _meta } = await querySubgraph(endpoint, "{ _meta { block { number hash timestamp } } }", Meta);
      const { number, hash, timestamp } = _meta.block;
      const computedAt = new Date(clock()).toISOString();
      return {
        blockNumber: String(number),
        blockHash: hash,
        blockTimestamp: timestamp,
        computedAt,
        source: "live",
        stale: (Number(headTimestamp() ?? 0n) - timestamp) * 1_000 > staleAfterMs,
      };
    } catch (error) {
      if (!(error instanceof SubgraphRefusal)) throw error;
      askAgainAt = clock() + PAUSE_MS;
      return null;
    }
  };
}
