import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { RemitEvent } from "@dueday/core/remit/remitEvent";
import { type Address, zeroAddress } from "viem";
import type { ChainSettings } from "./chainSettings";
import type { Book, BookEntry } from "./createBook";

/** What a transaction does to the book. `fund` leaves no event of the contract. */
export type Change =
  | { do: "cancel" | "unsubscribe"; place: number }
  | { do: "fund"; place: number; balance: bigint; allowance: bigint }
  | { do: "add"; entry: BookEntry };

/** Makes the change, and returns its events in order: those that decide what our client reads. */
export function applyChange(book: Book, settings: ChainSettings, change: Change, block: number): RemitEvent[] {
  const { contract, token } = settings;
  const log = ({ id, provider }: BookEntry, subscriber: Address, amount: bigint, code: number): RemitEvent => ({
    event: "SubLog",
    id,
    provider,
    subscriber,
    amount,
    token: token.address,
    code,
  });
  if (change.do === "add") {
    const { entry } = change;
    book.add(entry, block);
    return [
      log(entry, zeroAddress, entry.amount, subLogCode.Create),
      log(entry, entry.subscriber, entry.amount, subLogCode.Subscribed),
      log(entry, entry.subscriber, entry.feeBalance, subLogCode.FeeFill),
    ];
  }
  const entry = book.at(change.place, block);
  const { subscriber, provider, amount, feeBalance } = entry;
  switch (change.do) {
    case "fund":
      book.change(change.place, block, { balance: change.balance, allowance: change.allowance });
      return [];
    case "cancel":
      book.change(change.place, block, { cancelled: true });
      return [log(entry, zeroAddress, 0n, subLogCode.Cancel)];
    case "unsubscribe": {
      book.change(change.place, block, { subscribed: false, feeBalance: 0n });
      const value = toTokenUnits(feeBalance, token.decimals);
      return [
        log(entry, subscriber, amount, subLogCode.Unsubscribed),
        log(entry, subscriber, feeBalance, subLogCode.ProviderRefund),
        { event: "Transfer", token: token.address, from: contract, to: provider, value },
      ];
    }
  }
}
