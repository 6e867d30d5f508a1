import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import type { Address } from "viem";
import { createBook } from "./createBook";
import { type BookShape, fillBook } from "./fillBook";
import { type BigChain, startBigChain } from "./startBigChain";

export type BookChainOptions = {
  chainId: number;
  contract: Address;
  size: number;
  /** Subscriptions that blocks may add; none by default. */
  room?: number;
  shape: BookShape;
  /** The day number of its blocks, which is open. */
  today: number;
};

/** Payments of one remit(). */
export const BOOK_MAX_REMITS = 100;
const TOKEN: Address = "0x0000000000000000000000000000000000001000";

/** A chain whose first block has a filled book; its time is one second after the start of `today`, early enough for a block a second. */
export function startBookChain({ chainId, contract, size, room = 0, shape, today }: BookChainOptions): BigChain {
  const book = createBook(size + room);
  fillBook(book, { size, shape, today });
  const balances = new Map([[contract.toLowerCase(), 10n ** 30n]]);
  return startBigChain({
    book,
    settings: {
      chainId,
      contract,
      admin: "0x0000000000000000000000000000000000000010",
      callerFee: 10_025n,
      systemFee: 10_000n,
      maxRemits: BOOK_MAX_REMITS,
      cancelLimit: 5n,
      nextUncheckedDay: today,
      token: { address: TOKEN, name: "Harbor Dollar", symbol: "HUSD", decimals: 6, minimum: 1n, balances },
      longestList: 20_000,
    },
    head: { number: 0, timestamp: today * DAY_SECONDS + 1 },
  });
}
