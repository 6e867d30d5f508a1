import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { DueDay, DueSubscription } from "@dueday/core/snapshots/dueDay";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { cutDueDay } from "@dueday/db/duePages/cutDueDay";
import { writeDuePages } from "@dueday/db/duePages/writeDuePages";
import { writeSnapshots } from "@dueday/db/snapshots/writeSnapshots";

export const BENCH_CHAIN_ID = 31337;
export const BENCH_CONTRACT = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

const SUBSCRIPTIONS = 8;

/** Writes today's due list as a worker does; the answer has 3 to 6 KB. */
export async function writeDueSnapshot(databaseUrl: string): Promise<void> {
  const database = connectDatabase({ url: databaseUrl });
  const now = Date.now();
  const blockTimestamp = Math.floor(now / 1000);
  const { head, pages } = cutDueDay(dueDay(dayNumber(blockTimestamp)));
  const payload = JSON.stringify(head);
  const identity = {
    chainId: BENCH_CHAIN_ID,
    contract: BENCH_CONTRACT,
    kind: "due" as const,
    key: String(dayNumber(blockTimestamp)),
  };
  const block = { blockNumber: 1n, blockHash: `0x${"ab".repeat(32)}` as const, blockTimestamp, blockTimestampMs: null };
  const hash = new Bun.CryptoHasher("sha256").update(payload).digest("hex");
  await writeDuePages(database, identity, pages);
  await writeSnapshots(database, [{ ...identity, ...block, computedAt: new Date(now), payload, hash }]);
  await database.close();
}

function dueDay(day: number): DueDay {
  const subscription = (index: number): DueSubscription => ({
    id: `0x${index.toString(16).padStart(64, "0")}`,
    provider: "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    token: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
    tokenSymbol: "USDC",
    amount: "12.5",
    amountRaw: "12500000",
    tokenDecimals: 6,
    frequency: 1,
    frequencyLabel: "MONTHLY",
    dueDay: 15,
    cancelled: false,
    subscribers: 12,
    state: "open",
    payments: 12,
    chargeable: true,
  });
  const subscriptions = Array.from({ length: SUBSCRIPTIONS }, (_, index) => subscription(index + 1));
  const list = { frequency: 1, frequencyLabel: "MONTHLY", dueDay: 15, skipped: false } as const;
  const sums = {
    totals: { subscriptions: SUBSCRIPTIONS, payments: 12 * SUBSCRIPTIONS, expectedFailures: 0, byToken: [] },
    settled: { payments: 0, failures: 0, byToken: [] },
    missed: { subscriptions: 0, payments: 0, byToken: [] },
  };
  return {
    dayNumber: day,
    date: dayToDate(day),
    dayState: "open",
    lists: [{ ...list, count: SUBSCRIPTIONS, subscriptions, ...sums }],
    ...sums,
  };
}
