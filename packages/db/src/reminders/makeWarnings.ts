import { formatUnits } from "@dueday/core/amounts/decimalText";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { toFrequency } from "@dueday/core/calendar/frequency";
import { nextDueDay } from "@dueday/core/calendar/nextDueDay";
import type { EventOf } from "@dueday/core/domainEvents/domainEvent";
import type { MailFacts } from "@dueday/core/reminders/mailFacts";
import type { ReminderKind } from "@dueday/core/reminders/reminderKind";
import type { ApprovedTokens } from "@dueday/core/snapshots/approvedTokens";
import { storedKind } from "@dueday/core/snapshots/snapshot";
import { cleanText } from "@dueday/core/text/cleanText";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { insertMail } from "./insertMail";
import { isStillWanted } from "./isStillWanted";
import { lockProgress } from "./lockProgress";

/** A payer is reminded once more when this number of days is left. */
const LAST_DAYS = 2;
/** A coming charge is announced when this number of days is left. */
const COMING_DAYS = 7;

/**
 * Makes the mails about what will happen: payments that will fail according to the last forecast (to their payers and sellers), payments
 * that will no longer fail, and coming charges. It goes by states, not by new events, so that a mailbox that is confirmed today is warned of what was found yesterday.
 */
export async function makeWarnings(database: Database, scope: ContractScope, now: Date): Promise<void> {
  await database.run("make mails of what will happen", () =>
    database.sql.begin(async (sql) => {
      const { comingDay } = await lockProgress(sql, scope);
      const today = await readToday(sql, scope);
      if (today === null) return;
      await warnOfFailures(sql, scope, today, now);
      await reportCures(sql, scope, now);
      await warnSellers(sql, scope, now);
      if (comingDay === today) return;
      await announceCharges(sql, scope, today, now);
      await sql`update mail_progress set coming_day = ${today} where chain_id = ${scope.chainId} and contract = ${scope.contract}`;
    }),
  );
}

/** The chain's day at the head that the index has seen; null before there is one. */
async function readToday(sql: TransactionSql, { chainId, contract }: ContractScope): Promise<number | null> {
  const [row] = await sql<{ at: number }[]>`
    select greatest(head_timestamp, timestamp)::float8 as at from index_checkpoints where chain_id = ${chainId} and contract = ${contract}`;
  return row === undefined ? null : Math.floor(row.at / DAY_SECONDS);
}

/** The newest state of each payment that failed in a forecast. */
function failingStates(sql: TransactionSql, { chainId, contract }: ContractScope) {
  return sql`(select distinct on (subject) subject, state, block_number from outbox_states
    where chain_id = ${chainId} and contract = ${contract} and starts_with(subject, 'failing ') order by subject, block_number desc)`;
}

/** The events of the payments that will fail according to the last forecast; the event of a state has the same block as the state. */
function failingEvents(sql: TransactionSql, scope: ContractScope) {
  const { chainId, contract } = scope;
  return sql`(select o.* from ${failingStates(sql, scope)} s
    join lateral (select seq, body, subscription_id, provider, subscriber from outbox where chain_id = ${chainId} and contract = ${contract}
      and not retracted and block_number = s.block_number and type = 'payment.will_fail'
      and subscriber = decode(substr(split_part(s.subject, ' ', 3), 3), 'hex')
      and subscription_id = decode(substr(split_part(s.subject, ' ', 2), 3), 'hex') order by seq desc limit 1) o on true
    where starts_with(s.state, 'fails'))`;
}

async function warnOfFailures(sql: TransactionSql, scope: ContractScope, today: number, now: Date): Promise<void> {
  const { chainId } = scope;
  const rows = await sql<{ account: Uint8Array; hash: Uint8Array; body: string }[]>`
    select b.account, b.mailbox_hash as hash, o.body from ${failingEvents(sql, scope)} o
    join mailboxes b on b.account = o.subscriber and b.confirmed_at is not null and 'will_fail' = any(b.kinds)`;
  for (const { account, hash, body } of rows) {
    // The worker wrote the event there.
    const { data, block }: EventOf<"payment.will_fail"> = JSON.parse(body);
    const plan = toLowerCase(data.id);
    const daysLeft = data.dayNumber - today;
    const mail = {
      account: fromBytes(account),
      mailboxHash: fromBytes(hash),
      wants: "will_fail",
      facts: {
        kind: "will_fail",
        plan,
        date: dayToDate(data.dayNumber) ?? "",
        due: { amount: data.due.amount, symbol: data.tokenSymbol },
        shortfall: { amount: data.shortfall.amount, symbol: data.tokenSymbol },
        lacks: data.outcome === "fails_balance" ? "balance" : "allowance",
        daysLeft,
        dayNumber: data.dayNumber,
        block: Number(block.number),
      },
      scope,
    } as const;
    const subject = `${chainId} will_fail ${plan} ${data.dayNumber}`;
    const [first] = await sql<{ days_left: number }[]>`
      select (facts->>'daysLeft')::int as days_left from mails where account = ${account} and subject = ${subject} and not closed`;
    if (first === undefined) await insertMail(sql, { ...mail, subject }, now);
    else if (first.days_left > LAST_DAYS && daysLeft <= LAST_DAYS)
      await insertMail(sql, { ...mail, subject: `${subject} again` }, now);
  }
}

/** A seller is warned once of the failing charges of a plan on a due date; the mail counts those that are known by then. */
async function warnSellers(sql: TransactionSql, scope: ContractScope, now: Date): Promise<void> {
  const rows = await sql<{ account: Uint8Array; hash: Uint8Array; bodies: string[] }[]>`
    select b.account, b.mailbox_hash as hash, array_agg(o.body order by o.seq) as bodies from ${failingEvents(sql, scope)} o
    join mailboxes b on b.account = o.provider and b.confirmed_at is not null and 'at_risk' = any(b.kinds)
    group by b.account, b.mailbox_hash`;
  for (const { account, hash, bodies } of rows) {
    // The worker wrote the events there.
    const failing = bodies.map((body): EventOf<"payment.will_fail"> => JSON.parse(body)).map(({ data }) => data);
    for (const [subject, charges] of Map.groupBy(
      failing,
      ({ id, dayNumber }) => `at_risk ${id.toLowerCase()} ${dayNumber}`,
    )) {
      const [first] = charges;
      if (first === undefined) continue;
      const units = charges.reduce((sum, { due }) => sum + BigInt(due.amountRaw), 0n);
      const due = { amount: formatUnits(units, first.due.tokenDecimals), symbol: first.tokenSymbol };
      const date = dayToDate(first.dayNumber) ?? "";
      const mail = {
        account: fromBytes(account),
        mailboxHash: fromBytes(hash),
        subject: `${scope.chainId} ${subject}`,
        wants: "at_risk",
        facts: { kind: "at_risk", plan: toLowerCase(first.id), date, payers: charges.length, due },
        scope,
      } as const;
      await insertMail(sql, mail, now);
    }
  }
}

type Warning = {
  id: string;
  account: Uint8Array;
  hash: Uint8Array;
  facts: Extract<MailFacts, { kind: "will_fail" }>;
  state: string;
  isMember: boolean;
  isWanted: boolean;
};

/**
 * Ends the warnings whose failure a later forecast does not find. A warning that still waits is deleted. After one that was sent, a mail
 * reports the cure, unless the payer has left or failed since. An account that has subscribed again since has another membership.
 */
async function reportCures(sql: TransactionSql, scope: ContractScope, now: Date): Promise<void> {
  const { chainId, contract } = scope;
  const rows = await sql<Warning[]>`
    select m.id, m.account, m.mailbox_hash as hash, m.facts, m.state, ${isStillWanted(sql)} as "isWanted",
      exists (select from memberships o join subscriptions p on p.chain_id = o.chain_id and p.contract = o.contract and p.id = o.subscription_id
        where o.chain_id = ${chainId} and o.contract = ${contract} and o.subscriber = m.account and o.active and p.cancelled_block is null
          and o.changed_block <= (m.facts->>'block')::bigint and o.subscription_id = decode(substr(m.facts->>'plan', 3), 'hex')) as "isMember"
    from mails m left join ${failingStates(sql, scope)} s
      on s.subject = 'failing ' || (m.facts->>'plan') || ' 0x' || encode(m.account, 'hex')
    where m.chain_id = ${chainId} and m.contract = ${contract} and m.facts->>'kind' = 'will_fail' and not m.closed
      and (s.state is null or s.state not in ('fails', 'fails ' || (m.facts->>'dayNumber'))) and (m.leased_until is null or m.leased_until < clock_timestamp() or m.state <> 'waiting')
      and exists (select from outbox_states f where f.chain_id = ${chainId} and f.contract = ${contract} and f.subject = 'forecast'
        and f.written_at >= m.created_at)`;
  for (const warnings of Map.groupBy(
    rows,
    ({ account, facts }) => `${fromBytes(account)} ${facts.plan} ${facts.date}`,
  ).values()) {
    const sent = warnings.filter(({ state }) => state === "sent" || state === "collected");
    await sql`delete from mails where id in ${sql(warnings.map(({ id }) => id))} and state = 'waiting'`;
    await sql`update mails set closed = true where id in ${sql(warnings.map(({ id }) => id))}`;
    const [first] = sent;
    if (first === undefined || !first.isMember || !first.isWanted) continue;
    const { plan, date, due } = first.facts;
    const mail = { account: fromBytes(first.account), mailboxHash: fromBytes(first.hash), scope };
    const facts = { kind: "cured", plan, date, due } as const;
    await insertMail(sql, { ...mail, subject: `cured ${first.id}`, wants: "will_fail", facts }, now);
  }
}

async function announceCharges(sql: TransactionSql, scope: ContractScope, today: number, now: Date): Promise<void> {
  const { chainId, contract } = scope;
  const wanted: ReminderKind[] = ["coming", "coming_yearly"];
  type Row = Record<"account" | "hash" | "id" | "token", Uint8Array> & {
    kinds: ReminderKind[];
    amount: string;
    frequency: number;
    due_day: number;
    symbol: string | null;
    decimals: number | null;
  };
  const rows = await sql<Row[]>`
    select b.account, b.mailbox_hash as hash, b.kinds, s.id, s.token, s.amount, s.frequency, s.due_day, t.symbol, t.decimals
    from mailboxes b join memberships m on m.chain_id = ${chainId} and m.contract = ${contract} and m.subscriber = b.account and m.active
    join subscriptions s on s.chain_id = ${chainId} and s.contract = ${contract} and s.id = m.subscription_id and s.cancelled_block is null
    left join indexed_tokens t on t.chain_id = s.chain_id and t.contract = s.contract and t.token = s.token
    where b.confirmed_at is not null and b.kinds && ${wanted}`;
  const paused = await readPausedTokens(sql, scope);
  for (const { account, hash, kinds, id, token, amount, frequency, due_day, symbol, decimals } of rows) {
    // No charge is made. If the pause ends before the due date, the charge is announced then.
    if (paused.has(fromBytes(token))) continue;
    const wants = toFrequency(frequency) === 3 ? "coming_yearly" : "coming";
    const dueDay = nextDueDay(toFrequency(frequency), due_day, today + 1);
    if (!kinds.includes(wants) || dueDay - today > COMING_DAYS) continue;
    const plan: Hex = fromBytes(id);
    const [failing] =
      await sql`select from mails where account = ${account} and subject = ${`${chainId} will_fail ${plan} ${dueDay}`} and not closed`;
    if (failing !== undefined) continue;
    const units = toTokenUnits(BigInt(amount), decimals ?? 18);
    const due = { amount: formatUnits(units, decimals ?? 18), symbol: cleanText(symbol ?? "").text };
    const facts = { kind: "coming", plan, date: dayToDate(dueDay) ?? "", due } as const;
    const mail = { account: fromBytes(account), mailboxHash: fromBytes(hash), wants, facts, scope } as const;
    await insertMail(sql, { ...mail, subject: `${chainId} coming ${plan} ${dueDay}` }, now);
  }
}

/** The tokens that the protocol has paused, lower case, by the worker's newest snapshot; none before there is one. */
async function readPausedTokens(sql: TransactionSql, { chainId, contract }: ContractScope): Promise<Set<Hex>> {
  const [row] = await sql<{ payload: string }[]>`select payload from snapshots
    where chain_id = ${chainId} and contract = ${contract} and kind = ${storedKind("tokens")} and key = ''`;
  if (row === undefined) return new Set();
  // The worker wrote the snapshot there.
  const { tokens }: ApprovedTokens = JSON.parse(row.payload);
  return new Set(tokens.filter(({ paused }) => paused).map(({ address }) => toLowerCase(address)));
}
