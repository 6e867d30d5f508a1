import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { deployToken } from "@dueday/devnet/deployToken";
import { approveToken, createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import { send } from "@dueday/devnet/send";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { type Address, type Hex, parseEther } from "viem";

/** Markup, a link that would run code, letters that reverse what follows, and more text than a page has room for. */
export const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202Egnp.exe\u0007 ${"long ".repeat(500)}`;
export const HOSTILE_URL = `https://evil.example/"><img src=x onerror="window.hacked=1">${"a".repeat(1_000)}`;
const SYMBOL = `<b>\u202EDSU</b>${"$".repeat(60)}`;

export type Hostile = { id: Hex; provider: Address; subscriber: Address };

/** Puts hostile text into every field of the chain that a page shows: a token, a subscription, a profile. */
export async function seedHostile({ client, contract }: Devnet): Promise<Hostile> {
  const [admin, provider, subscriber] = [
    ACCOUNT_INDEX.admin,
    ACCOUNT_INDEX.firstProvider + 1,
    ACCOUNT_INDEX.firstSubscriber + 1,
  ].map((index) => testAccount(index).address) as [Address, Address, Address]; // as many as indexes
  const target = { client, contract, admin };
  const token = await deployToken(client, admin, { name: HOSTILE.slice(0, 200), symbol: SYMBOL, decimals: 6 });
  await approveToken(target, token, 6, parseEther("0.01"));
  const texts = {
    description: HOSTILE,
    company: HOSTILE,
    url: HOSTILE_URL,
    domain: HOSTILE,
    email: HOSTILE,
    misc: HOSTILE,
  };
  await send(client, { from: provider, to: contract, data: encodeEditProvDetails(texts) });
  const details = { url: HOSTILE_URL, description: HOSTILE };
  const terms = { amount: parseEther("5"), token, details, frequency: 1, dueDay: 3 } as const;
  const id = await createSubscription(target, provider, terms);
  await fund(target, token, subscriber, 100_000_000n, 100_000_000n);
  await subscribe(target, subscriber, id);
  return { id, provider, subscriber };
}
