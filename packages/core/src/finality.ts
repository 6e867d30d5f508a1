import { type Static, Type } from "@sinclair/typebox";

/** How sure it is that a block stays on the chain: by the node's tags, or by age where the node has none, never by depth. */
export const BlockFinality = Type.Union([Type.Literal("latest"), Type.Literal("safe"), Type.Literal("finalized")], {
  description: "Whether the chain's safe and finalized blocks include the block",
});
export type BlockFinality = Static<typeof BlockFinality>;

/** The newest blocks that are safe and final. */
export type Finality = {
  safeNumber: number;
  /** Not above `safeNumber`. */
  finalNumber: number;
  /**
   * `tag`: the node has marked the blocks. `time`: the node does not know the tags, and the blocks are older than
   * `CHAIN_<id>_FINALITY_SECONDS`.
   */
  by: "tag" | "time";
};

/** The finality of a block; `latest` where that of the chain is not known. */
export function finalityOf(blockNumber: number, finality: Finality | null): BlockFinality {
  if (finality === null || blockNumber > finality.safeNumber) return "latest";
  return blockNumber > finality.finalNumber ? "safe" : "finalized";
}
