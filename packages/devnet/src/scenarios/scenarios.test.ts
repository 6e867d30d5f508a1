import { describe, expect, test } from "bun:test";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { settle } from "@dueday/devnet/test/settle";
import { type Devnet, startDevnet } from "../startDevnet";
import { demo } from "./demo";
import type { DevnetScenario } from "./devnetScenario";
import { large } from "./large";
import { missedPayments } from "./missedPayments";
import { weeklyBook } from "./weeklyBook";

async function withDevnet(
  scenario: DevnetScenario,
  date: string,
  use: (devnet: Devnet, today: number) => Promise<void>,
) {
  const now = Date.parse(date) / 1000;
  const devnet = await startDevnet({ scenario, now });
  try {
    expect((await devnet.client.getBlock()).timestamp).toBe(BigInt(now));
    await use(devnet, dayNumber(now));
  } finally {
    await devnet.stop();
  }
}

describe("on any date the demo has a backlog of at least six days with payments, one of them with several pages", () => {
  // Most of these backlogs contain days that are not a due day of a monthly, quarterly or yearly subscription.
  const dates = ["2027-01-03T00:00:05Z", "2028-12-31T23:59:50Z", "2026-03-02T12:00:00Z", "2027-04-01T12:00:00Z"];
  for (const date of [...dates, "2026-11-20T09:00:00Z"]) {
    test(date, () =>
      withDevnet(demo, date, async (devnet, today) => {
        const { client, contract } = devnet;
        const read = { address: contract, abi: protocolAbi } as const;
        expect(await client.readContract({ ...read, functionName: "nextUncheckedDay" })).toBe(today - 6);
        const { days, payments, failures } = await settle(devnet);
        expect([...days.values()].filter((day) => day.payments > 0).length).toBeGreaterThanOrEqual(6);
        expect(Math.max(...[...days.values()].map((day) => day.transactions))).toBeGreaterThanOrEqual(3);
        expect(payments).toBeGreaterThan(60);
        expect(failures).toBeGreaterThanOrEqual(6);
        expect(await client.readContract({ ...read, functionName: "nextUncheckedDay" })).toBe(today + 1);
      }),
    );
  }
});

describe("a weekly book is settled up to yesterday at any time of the day", () => {
  const book = weeklyBook({ dueDays: [1, 2, 3, 4, 5, 6, 7], subscribers: 3, maxRemits: 1n, daysBefore: 9 });
  for (const date of ["2026-11-23T00:00:00Z", "2026-11-23T00:00:01Z", "2026-11-23T23:59:59Z"]) {
    test(date, () =>
      withDevnet(book, date, async (devnet, today) => {
        const { client, contract: address } = devnet;
        // The chain's clock stands still: on a busy machine the next second would be another day.
        await client.setBlockTimestampInterval({ interval: 0 });
        const open = () => client.readContract({ address, abi: protocolAbi, functionName: "nextUncheckedDay" });
        expect(await open()).toBe(today);
        expect((await settle(devnet)).payments).toBe(3);
        expect(await open()).toBe(today + 1);
      }),
    );
  }
});

test("the large scenario has exactly the requested number of payments, of which at most one in twenty fails", () =>
  withDevnet(large({ payments: 600, days: 4 }), "2026-11-20T09:00:00Z", async (devnet, today) => {
    const { days, payments, failures } = await settle(devnet);
    expect(payments).toBe(600);
    expect(failures).toBe(28);
    const due = [...days]
      .filter(([, { payments: count }]) => count > 0)
      .map(([day, { payments: count }]) => [day, count]);
    expect(due).toEqual([today - 3, today - 2, today - 1, today].map((day) => [day, 150]));
  }));

test("settling the missed-payments scenario never charges two of the three monthly ids", () =>
  withDevnet(missedPayments, "2026-10-31T12:00:00Z", async (devnet) => {
    const { weekly, monthly1 } = devnet.subscriptions;
    if (!weekly || !monthly1) throw new Error("the scenario does not name these subscriptions");
    const { payments, ids } = await settle(devnet);
    expect(payments).toBe(3);
    expect(ids).toEqual(new Set([weekly, monthly1]));
  }));
