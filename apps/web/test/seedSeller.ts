import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { type SubLogName, subLogCode } from "@dueday/core/events/subLogEvents";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { connectDatabase, type Database } from "@dueday/db/connectDatabase";
import { copyLogs } from "@dueday/db/eventIndex/copyLogs";
import type { IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { rebuildDerived } from "@dueday/db/indexing/rebuildDerived";
import { fromBytes, toBytes } from "@dueday/db/rows/bytes";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Address, type Hex, numberToHex } from "viem";
import type { WebDemo } from "./startWebDemo";

const MEMBERS = 6_000;
const DAYS = 3 * 365;
const PERIOD_DAYS = [7, 30, 91, 365];
/** One in this number of members ends: every second of those by a charge that failed, the others by leaving. Ends after today are not written. */
const ENDS_EVERY = 6;
/** Higher than the index of every log that the chain has in that block. */
const FIRST_LOG_INDEX = 1_000_000;
/** A rule of anvil, whatever the interval of its blocks: its `finalized` block is less than this number of blocks below its head. */
const BLOCKS_UNTIL_FINAL = 70;
const DEADLINE_MS = 120_000;

type Plan = { id: Hex; createdBlock: number; token: Hex; amount: bigint; frequency: number };

/** What the seeded history adds in a token. */
export type SeededSums = { active: number; charges: number };

/**
 * Writes three years of subscribers and charges of a provider's plans into the event index of a demo, as if they were logs of the block
 * in which the last of these plans was created: 6,000 members, of whom up to 1,000 have left or failed.
 *
 * @returns what it adds by token, an address in lower case
 */
export async function seedSeller(web: WebDemo, provider: Address): Promise<Map<Hex, SeededSums>> {
  const { chainId, contract } = web.facts;
  const scope = { chainId, contract };
  await web.caughtUp();
  const { client } = web.devnet;
  const { timestamp } = await client.getBlock();
  const database = connectDatabase({ url: web.databaseUrl, deadlineMs: DEADLINE_MS });
  try {
    const plans = await readPlans(database.sql, provider);
    const blockNumber = Math.max(...plans.map(({ createdBlock }) => createdBlock));
    const { hash: blockHash } = await client.getBlock({ blockNumber: BigInt(blockNumber) });
    // The worker compares the logs of younger blocks with those of the chain.
    await client.mine({ blocks: BLOCKS_UNTIL_FINAL });
    await waitUntil(`block ${blockNumber} is proven`, async () => {
      const [row] = await database.sql`select from index_checkpoints where proven_number >= ${blockNumber}`;
      return row !== undefined;
    });
    const { logs, sums } = historyOf(plans, dayNumber(timestamp));
    const placed = logs.map(({ transaction, log }, index): IndexedLog => {
      const event = { event: "SubLog", provider: toLowerCase(provider), ...log } as const;
      return {
        blockNumber,
        blockHash,
        data: "0x",
        logIndex: FIRST_LOG_INDEX + index,
        transactionHash: numberToHex(transaction, { size: 32 }),
        event,
      };
    });
    await database.sql.begin((sql) => copyLogs(sql, scope, placed));
    await rebuildDerived(database, scope);
    await database.sql`vacuum analyze`;
    // Answers are kept until the index has another block.
    await client.mine({ blocks: 1 });
    await web.caughtUp();
    return sums;
  } finally {
    await database.close();
  }
}

/** The plans that take subscribers. Amounts have 18 decimals. */
async function readPlans(sql: Database["sql"], provider: Address): Promise<Plan[]> {
  const rows = await sql<{ id: Uint8Array; created: number; token: Uint8Array; amount: string; frequency: number }[]>`
    select id, created_block::float8 as created, token, amount, frequency from subscriptions
    where provider = ${toBytes(provider)} and cancelled_block is null order by frequency = 1 desc, id`;
  return rows.map(({ id, created, token, amount, frequency }) => ({
    id: fromBytes(id),
    createdBlock: created,
    token: fromBytes(token),
    amount: BigInt(amount),
    frequency,
  }));
}

/** One log of a transaction, without what all logs share. */
type SeededLog = {
  transaction: number;
  log: Omit<Extract<IndexedLog["event"], { event: "SubLog" }>, "event" | "provider">;
};

/** Each member's first charge, later charges and end, in the order in which the contract logs them. At least half of the members have the first plan. */
function historyOf(plans: readonly Plan[], today: number): { logs: SeededLog[]; sums: Map<Hex, SeededSums> } {
  const logs: SeededLog[] = [];
  const sums = new Map<Hex, SeededSums>();
  let transaction = 0;
  for (let member = 0; member < MEMBERS; member++) {
    const plan = plans[member % 2 === 0 ? 0 : member % plans.length];
    if (plan === undefined) throw new Error("the provider has no plan that takes subscribers");
    const { id, token, amount, frequency } = plan;
    const subscriber = numberToHex(member + 1, { size: 20 });
    const add = (day: number, ...names: SubLogName[]) => {
      transaction += 1;
      for (const name of names) {
        const log = { id, token, amount, subscriber, timestamp: day * DAY_SECONDS, code: subLogCode[name] };
        logs.push({ transaction, log });
      }
    };
    const joined = today - DAYS + Math.floor((member * DAYS) / MEMBERS);
    const ended = member % ENDS_EVERY === 0 ? joined + 1 + ((member * 7_919) % 400) : Number.POSITIVE_INFINITY;
    const last = Math.min(today, ended - 1);
    add(joined, "Subscribed", "FeeFill", "ProviderPaid");
    const period = PERIOD_DAYS[frequency] ?? DAYS;
    for (let day = joined + period; day <= last; day += period) add(day, "SubscriberPaid", "ProviderPaid");
    if (ended <= today) add(ended, "Unsubscribed", member % (2 * ENDS_EVERY) === 0 ? "Failed" : "ProviderRefund");
    const { active, charges } = sums.get(token) ?? { active: 0, charges: 0 };
    sums.set(token, {
      active: active + Number(ended > today),
      charges: charges + 1 + Math.max(0, Math.floor((last - joined) / period)),
    });
  }
  return { logs, sums };
}
