import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { lastDueDay } from "@dueday/core/calendar/frequency";
import { parseEther } from "viem";
import { deployProtocol } from "../deployProtocol";
import { deployToken } from "../deployToken";
import { approveToken, createSubscription, fund, subscribe } from "./actions";
import type { DevnetScenario } from "./devnetScenario";

/**
 * The example of protocol part 7: maxRemits 1, a weekly id with two subscribers, and three monthly ids due on the same day.
 * Settling that day never charges `monthly2` and `monthly3`.
 */
export const missedPayments: DevnetScenario = {
  daysBefore: 6,
  accounts: 10,
  async seed(client, now) {
    const [admin, janitor, , provider, ...subscribers] = await client.request({ method: "eth_accounts" });
    if (!admin || !janitor || !provider) throw new Error("the node has too few accounts");
    const dueDay = lastMonthlyDay(dayNumber(now));
    await client.setNextBlockTimestamp({ timestamp: BigInt((dueDay - 1) * DAY_SECONDS) });

    const fees = { callerFee: 10200n, systemFee: 10000n, allowSystemFee: false };
    const contract = await deployProtocol(client, { ...fees, maxRemits: 1n, cancelLimit: 5n, admin, janitor });
    const target = { client, contract, admin };
    const token = await deployToken(client, admin, { name: "Harbor Dollar", symbol: "HUSD", decimals: 18 });
    await approveToken(target, token, 18, parseEther("1"));
    for (const subscriber of subscribers) await fund(target, token, subscriber, parseEther("1000"), parseEther("1000"));

    const { weekDay, dayOfMonth } = calendarDay(dueDay);
    const create = (description: string, frequency: number, due: number) =>
      createSubscription(target, provider, {
        amount: parseEther("10"),
        token,
        details: { url: "https://harbor.example/plans", description },
        frequency,
        dueDay: due,
      });
    const weekly = await create("Weekly", 0, weekDay);
    const monthly1 = await create("Monthly, first", 1, dayOfMonth);
    const monthly2 = await create("Monthly, second", 1, dayOfMonth);
    const monthly3 = await create("Monthly, third", 1, dayOfMonth);
    const joins = [weekly, weekly, monthly1, monthly2, monthly3];
    for (const [index, id] of joins.entries()) {
      const subscriber = subscribers[index];
      if (subscriber) await subscribe(target, subscriber, id);
    }
    return { contract, tokens: [token], subscriptions: { weekly, monthly1, monthly2, monthly3 } };
  },
};

/** The latest day up to `today` that can be the due day of a monthly subscription: at most three days earlier. */
function lastMonthlyDay(today: number): number {
  let day = today;
  while (calendarDay(day).dayOfMonth > lastDueDay(1)) day--;
  return day;
}
