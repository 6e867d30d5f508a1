import type { RemitState, RemitToken } from "@dueday/core/remit/state";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { HoldingPart } from "./readHoldingParts";

/** The tokens of one state of a large book, and what a later read needs to find out what has changed of them. */
export type TokenBook = {
  block: ChainBlock;
  dueLists: RemitState["dueLists"];
  subscriptions: RemitState["subscriptions"];
  /** Accounts that are read of each token beside those of its subscriptions. */
  receivers: readonly Address[];
  tokens: ReadonlyMap<Address, RemitToken>;
  /** All accounts of each token, in the parts in which they were read. */
  parts: ReadonlyMap<Address, readonly HoldingPart[]>;
  /** Ids that were read again since the book was made, or are gone. */
  changed: ReadonlySet<Hex>;
};

/** The newest book for each number of days ahead. */
export type TokenBooks = ReadonlyMap<number, TokenBook>;

/** The books after some ids were read again. */
export function afterChanges(books: TokenBooks, ids: Iterable<Hex>): TokenBooks {
  const all = [...ids];
  return new Map([...books].map(([days, book]) => [days, { ...book, changed: new Set([...book.changed, ...all]) }]));
}
