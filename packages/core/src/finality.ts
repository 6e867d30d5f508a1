import { type Static, Type } from "@sinclair/typebox";

/** How sure it is that a block stays on the chain: what the node's tags cover, never a depth. */
export const BlockFinality = Type.Union([Type.Literal("latest"), Type.Literal("safe"), Type.Literal("finalized")], {
  description: "What the chain's safe and finalized blocks cover",
});
export type BlockFinality = Static<typeof BlockFinality>;

/** The newest blocks that are safe and final. */
export type Finality = {
  safeNumber: number;
  /** Not above `safeNumber`. */
  finalNumber: number;
  /** `tag`: the node has marked them. `time`: it does not know the tags, and they are older than `CHAIN_<id>_FINALITY_SECONDS`. */
  by: "tag" | "time";
};

/** The finality of a block; `latest` where nothing is known of the chain's. */
export function finalityOf(blockNumber: number, finality: Finality | null): BlockFinality {
  if (finality === null || blockNumber > finality.safeNumber) return "latest";
  return blockNumber > finality.finalNumber ? "safe" : "finalized";
}
