import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { EventBlockFacts } from "@dueday/core/domainEvents/planEvents";
import type { ChainContext } from "../context";

/** A scanned block as its events show it. It was the head: only a chain without reorganisations has it final already. */
export function eventBlock({ chain }: Pick<ChainContext, "chain">, block: ChainBlock): EventBlockFacts {
  const { number, hash, timestamp } = block;
  return { number, hash, timestamp, finalized: chain.finalityBlocks === 0 };
}
