import type { RemitSubscription } from "@dueday/core/remit/state";
import { runInSlices } from "@dueday/core/runInSlices";
import type { Address } from "viem";

export type AccountsByToken = Map<Address, Set<Address>>;

/**
 * The accounts whose holdings decide what remit() does for `subscriptions`, by token: subscribers, providers and `receivers`.
 *
 * @param isKnown accounts to leave out; none by default
 */
export async function accountsByToken(
  subscriptions: Iterable<RemitSubscription>,
  receivers: readonly Address[],
  isKnown: (token: Address, account: Address) => boolean = () => false,
): Promise<AccountsByToken> {
  const accounts: AccountsByToken = new Map();
  const add = (token: Address, account: Address) => {
    if (isKnown(token, account)) return;
    const known = accounts.get(token);
    if (known === undefined) accounts.set(token, new Set([account]));
    else known.add(account);
  };
  await runInSlices(subscriptions[Symbol.iterator](), ({ token, provider, subscribers }) => {
    for (const receiver of receivers) add(token, receiver);
    add(token, provider);
    for (const { subscriber } of subscribers) add(token, subscriber);
  });
  return accounts;
}
