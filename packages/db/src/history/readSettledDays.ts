import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { dueDayOf, FREQUENCIES, type Frequency } from "@dueday/core/calendar/frequency";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { PaymentFilter } from "@dueday/core/remit/paymentFilter";
import type { SettledCharge, SettledDay, UnchargedSubscription } from "@dueday/core/remit/settledDay";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { TransactionSql } from "postgres";
import { type Address, getAddress, type Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { IndexScope } from "../eventIndex/coveredHead";
import { readIndex } from "../eventIndex/readIndex";
import { bytesList, fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

export type SettledDaysQuery = {
  /** Day numbers. */
  days: readonly number[];
  /** Which payments are meant; all where it is null or left out. */
  filter?: PaymentFilter | null;
  /** The first day that is not closed at `block`. */
  nextUncheckedDay: number;
  /** The block that the answer has to be true for. */
  block: { number: bigint; hash: Hex; timestamp: bigint };
  /** Milliseconds to wait for the index to reach `block`. */
  patienceMs: number;
};

const PAUSE_MS = 50;

/**
 * What remit() did on each of `days`, by the events up to `block`: payments by subscription and, for closed days, the subscriptions
 * that were not charged although they had subscribers. Null where the index does not reach the block in time, or has another block
 * at its height.
 */
export async function readSettledDays(
  database: Database,
  scope: IndexScope,
  { days, filter = null, nextUncheckedDay, block, patienceMs }: SettledDaysQuery,
): Promise<SettledDay[] | null> {
  const started = performance.now();
  const at = { number: Number(block.number), hash: toLowerCase(block.hash), timestamp: Number(block.timestamp) };
  // The caller has just read the block from the chain. Where it is not above the announced head and no hash is stored for
  // its height, it is taken for the index's block, because few blocks without events are stored.
  const trusting: IndexScope = {
    ...scope,
    covered() {
      const covered = scope.covered?.() ?? null;
      return covered && { ...covered, blockAt: (number) => (number <= covered.head.number ? at : undefined) };
    },
  };
  for (;;) {
    const found = await readIndex(database, trusting, at.number, async (sql, state) => {
      if (state.block.hash !== at.hash) return null;
      const charges = await readCharges(sql, scope, { days, filter, atBlock: state.block.number });
      const read: SettledDay[] = [];
      for (const dayNumber of days) {
        const own = charges.get(dayNumber) ?? [];
        const uncharged =
          dayNumber < nextUncheckedDay
            ? await readUncharged(sql, scope, { day: dayNumber, filter, atBlock: state.block.number, charges: own })
            : [];
        read.push({ dayNumber, charges: own, uncharged });
      }
      return read;
    });
    if (typeof found !== "string") return found.value;
    if (found === "not_indexed" || performance.now() - started >= patienceMs) return null;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

type IdRow = { id: Uint8Array; token: Uint8Array; frequency: Frequency; amount: string };
type ChargeRow = IdRow & { day: number; payments: number; failures: number };

async function readCharges(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  { days, filter, atBlock }: Pick<SettledDaysQuery, "days"> & { filter: PaymentFilter | null; atBlock: number },
): Promise<Map<number, SettledCharge[]>> {
  const accounts = filter?.accounts ?? null;
  // If the payment of a Coordinates did not fail, the next log is the payment's (rule 2c).
  const payer = sql`coalesce(f.subscriber, (select p.subscriber from sub_logs p where p.chain_id = c.chain_id
    and p.contract = c.contract and p.block_number = c.block_number and p.log_index > c.log_index
    order by p.log_index limit 1))`;
  // remit() writes the log Failed of a payment right before its Coordinates (protocol part 5, rule 2d).
  const rows = await sql<ChargeRow[]>`
    select c.next_unchecked_day::float8 as day, s.id, s.token, s.frequency, s.amount, count(*)::float8 as payments,
      count(f.log_index)::float8 as failures
    from coordinates_logs c
    join subscriptions s on s.chain_id = c.chain_id and s.contract = c.contract and s.id = c.subscription_id
    left join sub_logs f on f.chain_id = c.chain_id and f.contract = c.contract and f.block_number = c.block_number
      and f.log_index = c.log_index - 1 and f.code = ${subLogCode.Failed}
    where c.chain_id = ${chainId} and c.contract = ${contract} and c.next_unchecked_day = any(${[...days]}::bigint[])
      and c.block_number <= ${atBlock} ${onPlans(sql, filter)}
      ${accounts === null ? sql`` : sql`and ${payer} in ${bytesList(sql, [...accounts])}`}
    group by c.next_unchecked_day, s.id, s.token, s.frequency, s.amount`;
  const charges = rows.map(({ day, payments, failures, ...row }) => ({ day, ...pricedId(row), payments, failures }));
  return Map.groupBy(charges, ({ day }) => day);
}

type Position = { block_number: string; log_index: number };
type DayQuery = { day: number; filter: PaymentFilter | null; atBlock: number; charges: readonly SettledCharge[] };

/**
 * Subscriptions of the day's due lists that had subscribers when the day was closed, and no payment. Empty unless the day was
 * closed in pages, or without any call that names it (a jump of the admin): otherwise the protocol handles every id.
 */
async function readUncharged(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  { day, filter, atBlock, charges }: DayQuery,
): Promise<UnchargedSubscription[]> {
  const accounts = filter?.accounts ?? null;
  const inContract = sql`chain_id = ${chainId} and contract = ${contract} and block_number <= ${atBlock}`;
  const calls = await sql<(Position & { is_finished: boolean })[]>`
    select block_number, log_index, is_finished from caller_logs where ${inContract} and checked_day = ${day}
    order by block_number desc, log_index desc`;
  const closing = calls.find(({ is_finished }) => is_finished);
  if (closing !== undefined && calls.length === 1) return [];
  const [later] = await sql<Position[]>`
    select block_number, log_index from caller_logs where ${inContract} and checked_day > ${day}
    order by checked_day, block_number, log_index limit 1`;
  const [beforeBlock, beforeLog] =
    closing === undefined
      ? [later?.block_number ?? String(atBlock + 1), later?.log_index ?? 0]
      : [closing.block_number, closing.log_index];
  // Without a closing call it is not known when the day was skipped: accounts that came after the day were not due.
  const until = closing === undefined ? (day + 1) * DAY_SECONDS : Number.MAX_SAFE_INTEGER;
  const calendar = calendarDay(day);
  const [weekly = 0, monthly = 0, quarterly = 0, yearly = 0] = FREQUENCIES.map((each) => dueDayOf(calendar, each));
  const rows = await sql<(IdRow & { subscribers: number })[]>`
    select s.id, s.token, s.frequency, s.amount, members.subscribers
    from subscriptions s
    join lateral (
      select count(*)::float8 as subscribers from (
        select distinct on (subscriber) code from sub_logs l
        where l.chain_id = s.chain_id and l.subscription_id = s.id and l.contract = s.contract
          and (l.block_number, l.log_index) < (${beforeBlock}::bigint, ${beforeLog}::int) and l.timestamp < ${until}
          and l.code in (${subLogCode.Subscribed}, ${subLogCode.Unsubscribed})
          ${accounts === null ? sql`` : sql`and l.subscriber in ${bytesList(sql, [...accounts])}`}
        order by subscriber, l.block_number desc, l.log_index desc) latest
      where code = ${subLogCode.Subscribed}) members on members.subscribers > 0
    where s.chain_id = ${chainId} and s.contract = ${contract}
      and (s.frequency, s.due_day) in ((0, ${weekly}), (1, ${monthly}), (2, ${quarterly}), (3, ${yearly}))
      and (s.cancelled_block is null or s.cancelled_block > ${beforeBlock}::bigint) ${onPlans(sql, filter)}`;
  const charged = new Set(charges.map(({ id }) => id));
  return rows
    .map(({ subscribers, ...row }) => ({ ...pricedId(row), subscribers }))
    .filter(({ id }) => !charged.has(id));
}

/** The condition that a subscription `s` fits a filter. */
function onPlans(sql: TransactionSql, filter: PaymentFilter | null) {
  const { providers = null, ids = null } = filter ?? {};
  return sql`${providers === null ? sql`` : sql`and s.provider in ${bytesList(sql, [...providers])}`}
    ${ids === null ? sql`` : sql`and s.id in ${bytesList(sql, [...ids])}`}`;
}

function pricedId({ id, token, frequency, amount }: IdRow) {
  const address: Address = getAddress(fromBytes(token));
  return { id: fromBytes(id), token: address, frequency, amount: BigInt(amount) };
}
