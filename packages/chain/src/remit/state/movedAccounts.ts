import type { RemitSubscription } from "@dueday/core/remit/state";
import { runInSlices } from "@dueday/core/runInSlices";
import type { Address } from "viem";
import { type AccountsByToken, accountsByToken } from "./accountsByToken";
import type { TokenBook } from "./tokenBook";

export type MovedAccounts = {
  /** Accounts that are missing in the book. */
  joined: AccountsByToken;
  /** Accounts in the book that no subscription names any more. */
  left: AccountsByToken;
  /** All tokens that a subscription names. */
  tokens: ReadonlySet<Address>;
};

/** How the accounts of a book differ from those that `subscriptions` name. Of the book's subscriptions only its `changed` ids may differ. */
export async function movedAccounts(
  book: TokenBook,
  subscriptions: TokenBook["subscriptions"],
): Promise<MovedAccounts> {
  const { receivers, changed } = book;
  const before = [...changed].flatMap((id) => book.subscriptions.get(id) ?? []);
  const now = [...changed].flatMap((id) => subscriptions.get(id) ?? []);
  const isKnown = (token: Address, account: Address) => book.tokens.get(token)?.holdings.has(account) ?? false;
  const joined = await accountsByToken(now, receivers, isKnown);
  const left = await accountsByToken(before, [], (_, account) => receivers.includes(account));
  const named = new Set<Address>();
  const keep = ({ token, provider, subscribers }: RemitSubscription) => {
    const accounts = left.get(token);
    accounts?.delete(provider);
    for (const { subscriber } of subscribers) accounts?.delete(subscriber);
    named.add(token);
  };
  for (const subscription of now) keep(subscription);
  const isSame = [...left.values()].every(({ size }) => size === 0);
  if (isSame) return { joined, left, tokens: new Set([...book.tokens.keys(), ...named]) };
  // A subscription that has not changed may name these accounts.
  await runInSlices(subscriptions.values(), keep);
  return { joined, left, tokens: named };
}
