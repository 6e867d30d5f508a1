import type { RemitState } from "@dueday/core/remit/state";
import type { Address } from "viem";
import type { ChainBlock } from "../../block/chainBlock";

/** The tokens in which open or coming days have payments, each with the accounts whose balances decide these, the contract among them. */
export type OpenBook = { block: ChainBlock; holders: ReadonlyMap<Address, Holders> };

/** Accounts without duplicates. */
type Holders = Iterable<Address> & { readonly size: number };

/** Who holds or receives each token in the state of `block`. */
export function openBook(block: ChainBlock, { tokens, protocol }: RemitState): OpenBook {
  const holders = [...tokens].map(([token, { holdings }]): [Address, Holders] => [
    token,
    {
      size: 1 + holdings.size,
      *[Symbol.iterator]() {
        yield protocol;
        yield* holdings.keys();
      },
    },
  ]);
  return { block, holders: new Map(holders) };
}
