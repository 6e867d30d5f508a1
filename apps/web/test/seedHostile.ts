import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { dueDayOf } from "@dueday/core/calendar/frequency";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { deployToken } from "@dueday/devnet/deployToken";
import { approve, approveToken, createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import { send } from "@dueday/devnet/send";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "@dueday/devnet/testAccount";
import { type Hex, parseEther } from "viem";

/** Markup that would run code, a character that reverses what follows, a control character, and more text than a page has room for. */
export const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202Egnp.exe\u0007 ${"long ".repeat(500)}`;
export const HOSTILE_URL = `https://evil.example/"><img src=x onerror="window.hacked=1">${"a".repeat(1_000)}`;
const WEEKLY = 0;
const SYMBOL = `<b>\u202EDSU</b>${"$".repeat(60)}`;

export type Hostile = {
  id: Hex;
  provider: TestAccount;
  subscriber: TestAccount;
  /** The first day on which it is due again: tomorrow. YYYY-MM-DD. */
  due: string;
};

const SUBSCRIBERS = 2;

/** Puts hostile text into every field of the chain that a page shows: a token, a subscription, a profile. One subscriber will fail. */
export async function seedHostile({ client, contract }: Devnet): Promise<Hostile> {
  const admin = testAccount(ACCOUNT_INDEX.admin).address;
  const provider = testAccount(ACCOUNT_INDEX.firstProvider + 1);
  const [subscriber, failing] = Array.from({ length: SUBSCRIBERS }, (_, index) =>
    testAccount(ACCOUNT_INDEX.firstSubscriber + 1 + index),
  ) as [TestAccount, TestAccount]; // as many as SUBSCRIBERS
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
  await send(client, { from: provider.address, to: contract, data: encodeEditProvDetails(texts) });
  const tomorrow = dayNumber((await client.getBlock()).timestamp) + 1;
  const details = { url: HOSTILE_URL, description: HOSTILE };
  const dueDay = dueDayOf(calendarDay(tomorrow), WEEKLY);
  const terms = { amount: parseEther("5"), token, details, frequency: WEEKLY, dueDay } as const;
  const id = await createSubscription(target, provider.address, terms);
  for (const { address } of [subscriber, failing]) {
    await fund(target, token, address, 100_000_000n, 100_000_000n);
    await subscribe(target, address, id);
  }
  await approve(target, token, failing.address, 1n);
  return { id, provider, subscriber, due: dayToDate(tomorrow) ?? "" };
}
