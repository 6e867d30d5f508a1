import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { type Hex, parseEther } from "viem";
import { deployProtocol } from "../deployProtocol";
import { deployToken } from "../deployToken";
import { ACCOUNT_INDEX } from "../testAccount";
import { accountAt, approveToken, createSubscription, fund, remitThrough, subscribe } from "./actions";
import type { DevnetScenario } from "./devnetScenario";

export type WeeklyBook = {
  /** The weekday of each subscription, 1 (Monday) to 7. */
  dueDays: readonly number[];
  /** Number of subscribers. Each has enough tokens and subscribes to every subscription. */
  subscribers: number;
  /** Payments of one remit(). */
  maxRemits: bigint;
  daysBefore: number;
  /** Funded accounts after those of the subscribers; default none. */
  spareAccounts?: number;
  /** Whether everything before the day of `now` is settled; default true. */
  isSettled?: boolean;
};

const PLENTY = parseEther("1000000");

/** Weekly subscriptions in one token, named `day1` to `day7`: every day in `dueDays` has the same payments. */
export function weeklyBook(book: WeeklyBook): DevnetScenario {
  const { dueDays, subscribers: count, maxRemits, daysBefore, spareAccounts = 0, isSettled = true } = book;
  return {
    daysBefore,
    accounts: ACCOUNT_INDEX.firstSubscriber + count + spareAccounts,
    async seed(client, now) {
      const accounts = await client.request({ method: "eth_accounts" });
      const at = (index: number) => accountAt(accounts, index);
      const admin = at(ACCOUNT_INDEX.admin);
      const contract = await deployProtocol(client, {
        callerFee: 10200n,
        systemFee: 10000n,
        allowSystemFee: false,
        maxRemits,
        cancelLimit: 5n,
        admin,
        janitor: at(ACCOUNT_INDEX.janitor),
      });
      const target = { client, contract, admin };
      const token = await deployToken(client, admin, { name: "Harbor Dollar", symbol: "HUSD", decimals: 18 });
      await approveToken(target, token, 18, parseEther("1"));
      const subscribers = Array.from({ length: count }, (_, index) => at(ACCOUNT_INDEX.firstSubscriber + index));
      for (const subscriber of subscribers) await fund(target, token, subscriber, PLENTY, PLENTY);
      const subscriptions: Record<string, Hex> = {};
      for (const dueDay of dueDays) {
        const id = await createSubscription(target, at(ACCOUNT_INDEX.firstProvider), {
          amount: parseEther("10"),
          token,
          frequency: 0,
          dueDay,
          details: { url: "https://harbor.example/plans", description: `Day ${dueDay}` },
        });
        for (const subscriber of subscribers) await subscribe(target, subscriber, id);
        subscriptions[`day${dueDay}`] = id;
      }
      if (isSettled) {
        const today = Math.floor(now / DAY_SECONDS);
        // All steps are at midnight, because `now` may be the first second of the day.
        await client.setBlockTimestampInterval({ interval: 0 });
        await client.setNextBlockTimestamp({ timestamp: BigInt(today * DAY_SECONDS) });
        await client.mine({ blocks: 1 });
        await remitThrough(target, at(ACCOUNT_INDEX.historyKeeper), today - 1);
      }
      return { contract, tokens: [token], subscriptions };
    },
  };
}
