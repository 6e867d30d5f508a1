import type { AsOf } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { querySubgraph, type SubgraphEndpoint, SubgraphRefusal } from "./querySubgraph";

const Meta = Type.Object({
  _meta: Type.Object({
    block: Type.Object({
      number: Type.Integer({ minimum: 0 }),
      hash: Type.String({ pattern: "^0x[0-9a-f]{64}$" }),
      timestamp: Type.Integer({ minimum: 0 }),
    }),
  }),
});

/** Asks which block the subgraph has reached. Null from an endpoint that does not tell; it is not asked again. */
export function createMeta({
  clock,
  ...endpoint
}: SubgraphEndpoint & { clock: () => number }): () => Promise<AsOf | null> {
  let tells = true;
  return async () => {
    if (!tells) return null;
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
        stale: false,
      };
    } catch (error) {
      if (!(error instanceof SubgraphRefusal)) throw error;
      tells = false;
      return null;
    }
  };
}
