import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { dayToDate } from "@dueday/core/calendar/dates";
import { DAY_MS } from "@dueday/core/calendar/dayNumber";
import type { NewDomainEvent } from "@dueday/core/domainEvents/domainEvent";
import type { ReminderKind } from "@dueday/core/reminders/reminderKind";
import { storedKind } from "@dueday/core/snapshots/snapshot";
import { appendEvents } from "@dueday/db/outbox/appendEvents";
import { recordFailing } from "@dueday/db/outbox/recordFailing";
import { retractEventsAbove } from "@dueday/db/outbox/retractEvents";
import { confirmMailbox, storeMailbox } from "@dueday/db/reminders/mailboxes";
import { createMailSecrets } from "@dueday/db/reminders/mailSecrets";
import { readMailState } from "@dueday/db/reminders/readMailState";
import { hex } from "@dueday/db/test/smallIndex";
import type { TestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { openMailServer } from "@dueday/worker/reminders/openMailServer";
import { type RemindersOptions, type RunningReminders, startReminders } from "@dueday/worker/reminders/startReminders";
import type { MailServerFixture, TakenMail } from "@dueday/worker/test/startMailServer";
import type { Hex } from "viem";

export const SECRETS_KEY = "5e".repeat(32);
const AMOUNT = { amount: "12.5", amountRaw: "12500000", tokenDecimals: 6 };
/** The seller of all plans is a person too: its mailbox is that of number 0. */
const PROVIDER = hex(1_000, 20);
const TOKEN = hex(7, 20);

export const account = (number: number): Hex => hex(1_000 + number, 20);
export const plan = (number: number): Hex => hex(500 + number, 32);
export const mailboxOf = (number: number): string => `person${number}@example.org`;

/** A chain in a test database, whose head, plans and events the test sets, and workers that remind of them through a real mail server. */
export function createReminderFixture(
  { database, url: databaseUrl }: TestDatabase,
  chainId: number,
  mailServer: MailServerFixture,
) {
  const scope = { chainId, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };
  const secrets = createMailSecrets(SECRETS_KEY);
  const clock = { now: Date.UTC(2026, 10, 24, 9) };
  const logged: string[] = [];
  const running: RunningReminders[] = [];
  const settings = {
    smtpUrl: mailServer.url,
    from: "Dueday <reminders@dueday.example>",
    replyTo: null,
    publicUrl: "https://dueday.example",
  };

  function start({
    sendMs = 5_000,
    ...options
  }: Partial<RemindersOptions> & { sendMs?: number } = {}): RunningReminders {
    const reminders = startReminders({
      database,
      databaseUrl,
      contracts: [scope],
      secrets,
      settings,
      server: openMailServer(settings, { sendMs }),
      clock: () => clock.now,
      random: () => 0,
      logger: createLogger(parseConfig({ LOG_LEVEL: "trace" }), { write: (line) => void logged.push(line) }),
      metrics: { noteAttempt() {} },
      ...options,
    });
    running.push(reminders);
    return reminders;
  }

  /** The present day of the chain. */
  const today = () => Math.floor(clock.now / DAY_MS);

  /** The head of the chain, at the time of the clock; blocks up to `safe` are safe. */
  async function setHead(number: number, safe = number): Promise<void> {
    const timestamp = Math.floor(clock.now / 1000);
    await database.sql`insert into index_checkpoints (chain_id, contract, number, hash, timestamp, head_number, head_timestamp, confirmed_at, safe_number, final_number)
      values (${scope.chainId}, ${scope.contract}, ${number}, ${bytes(hex(number, 32))}, ${timestamp}, ${number}, ${timestamp}, now(), ${safe}, ${safe})
      on conflict (chain_id, contract) do update set number = ${number}, hash = excluded.hash, timestamp = ${timestamp}, head_number = ${number}, head_timestamp = ${timestamp},
        safe_number = ${safe}, final_number = ${safe}`;
  }

  async function addPlan(
    number: number,
    { description = `Plan ${number}`, frequency = 1, dueDay = 1 } = {},
  ): Promise<void> {
    await database.sql`insert into subscriptions (chain_id, contract, id, created_block, created_log_index, provider, token, amount, frequency, due_day, description)
      values (${scope.chainId}, ${scope.contract}, ${bytes(plan(number))}, 1, ${number}, ${bytes(PROVIDER)}, ${bytes(TOKEN)}, 12500000000000000000, ${frequency}, ${dueDay}, ${description})`;
    await database.sql`insert into indexed_tokens (chain_id, contract, token, symbol, decimals)
      values (${scope.chainId}, ${scope.contract}, ${bytes(TOKEN)}, 'USDC', 6) on conflict do nothing`;
  }

  /** The worker's newest scan finds the token of all plans paused, or not. */
  async function setPaused(paused: boolean): Promise<void> {
    const payload = JSON.stringify({ tokens: [{ address: TOKEN, paused }] });
    await database.sql`insert into snapshots (chain_id, contract, kind, key, block_number, block_hash, block_timestamp, computed_at, payload, hash)
      values (${scope.chainId}, ${scope.contract}, ${storedKind("tokens")}, '', 1, ${hex(1, 32)}, 1, now(), ${payload}, ${payload})
      on conflict (chain_id, contract, kind, key) do update set payload = excluded.payload`;
  }

  async function join(person: number, of: number, active = true, block = 1): Promise<void> {
    await database.sql`insert into memberships (chain_id, contract, subscription_id, subscriber, active, changed_block)
      values (${scope.chainId}, ${scope.contract}, ${bytes(plan(of))}, ${bytes(account(person))}, ${active}, ${block})
      on conflict (chain_id, contract, subscription_id, subscriber) do update set active = ${active}, changed_block = ${block}`;
  }

  /** A confirmed mailbox of a person. */
  async function addMailbox(person: number, kinds: readonly ReminderKind[]): Promise<void> {
    const now = new Date(clock.now);
    await storeMailbox(database, secrets, { account: account(person), mailbox: mailboxOf(person), kinds, now });
    const [row] = await database.sql<{ id: string }[]>`
      select id from mail_confirmations where account = ${bytes(account(person))} order by requested_at desc limit 1`;
    if (row === undefined || !(await confirmMailbox(database, row.id, now)))
      throw new Error("the mailbox is not confirmed");
    await database.sql`delete from mails where account = ${bytes(account(person))} and facts->>'kind' = 'confirmation'`;
  }

  function eventOf(block: number, type: NewDomainEvent["type"], data: object, salt = 0): NewDomainEvent {
    const timestamp = Math.floor(clock.now / 1000);
    const envelope = {
      id: `evt_${Bun.hash(`${chainId} ${block} ${salt} ${type} ${JSON.stringify(data)}`)
        .toString(16)
        .padStart(32, "0")}`,
      type,
      chainId,
      timestamp: new Date(clock.now).toISOString(),
      block: {
        number: String(block),
        hash: hex(block * 1_000 + salt, 32),
        timestamp,
        finality: "latest",
        finalized: false,
      },
      transactionHash: hex(block, 32),
      data,
    };
    // The tests write the fields of the type that they name.
    return envelope as NewDomainEvent;
  }

  const ofPayer = (person: number, of: number) => ({
    id: plan(of),
    provider: PROVIDER,
    subscriber: account(person),
    token: TOKEN,
    tokenSymbol: "USDC",
  });

  const events = {
    paid: (block: number, person: number, of: number, salt = 0) =>
      eventOf(
        block,
        "payment.paid",
        {
          ...ofPayer(person, of),
          kind: "recurring",
          charged: AMOUNT,
          toProvider: AMOUNT,
          toFeeBalance: AMOUNT,
          dayNumber: today(),
        },
        salt,
      ),
    failed: (block: number, person: number, of: number, salt = 0) =>
      eventOf(
        block,
        "payment.failed",
        { ...ofPayer(person, of), kind: "recurring", due: AMOUNT, dayNumber: today() },
        salt,
      ),
    removed: (block: number, person: number, of: number) =>
      eventOf(block, "subscription.unsubscribed", { ...ofPayer(person, of), ...AMOUNT, reason: "provider" }),
    joined: (block: number, person: number, of: number) =>
      eventOf(block, "subscription.subscribed", { ...ofPayer(person, of), ...AMOUNT }),
    left: (block: number, person: number, of: number) =>
      eventOf(block, "subscription.unsubscribed", { ...ofPayer(person, of), ...AMOUNT, reason: "subscriber" }),
    cancelled: (block: number, of: number) =>
      eventOf(block, "subscription.cancelled", { id: plan(of), provider: PROVIDER, record: {}, details: null }),
    willFail: (block: number, person: number, of: number, dayNumber: number) =>
      eventOf(block, "payment.will_fail", {
        ...ofPayer(person, of),
        dayNumber,
        dueDate: dayToDate(dayNumber),
        outcome: "fails_balance",
        due: AMOUNT,
        shortfall: AMOUNT,
        horizonDays: 7,
      }),
  };

  /** Writes what happened, as the indexer does. */
  async function happen(...list: NewDomainEvent[]): Promise<void> {
    await database.sql.begin((sql) =>
      appendEvents(
        sql,
        scope,
        list.map((event) => ({ event })),
        new Date(clock.now),
      ),
    );
  }

  /** A forecast at a block, which finds that these charges will fail, and no others. */
  async function forecast(block: number, ...failing: NewDomainEvent[]): Promise<void> {
    const at = { number: block, hash: hex(block * 1_000, 32) };
    if (!(await recordFailing(database, scope, { events: failing, block: at, now: new Date(clock.now) })))
      throw new Error("the forecast is not written");
  }

  async function reorganise(above: number): Promise<void> {
    await database.sql.begin((sql) => retractEventsAbove(sql, scope, { block: above, now: new Date(clock.now) }));
  }

  /** Does several things between two looks of the workers, which otherwise look at any time. */
  async function atOnce(work: () => Promise<void>): Promise<void> {
    await database.sql.begin(async (sql) => {
      await sql`select from mail_progress where chain_id = ${scope.chainId} for update`;
      await work();
    });
  }

  async function isIdle(): Promise<boolean> {
    const [busy] =
      await database.sql`select from mails where leased_until > clock_timestamp() and state = 'waiting' limit 1`;
    return busy === undefined;
  }

  /** Until every mail that can be sent now is sent. */
  async function settle(reminders: RunningReminders): Promise<void> {
    await waitUntil("all mails to be made and sent", async () => {
      await reminders.wake();
      const { oldestDueAt } = await readMailState(database, new Date(clock.now));
      return oldestDueAt === null && (await isIdle());
    });
  }

  return {
    scope,
    secrets,
    clock,
    logged,
    database,
    start,
    today,
    setHead,
    addPlan,
    setPaused,
    join,
    addMailbox,
    events,
    happen,
    forecast,
    reorganise,
    atOnce,
    isIdle,
    settle,
    /** Days pass. */
    travel(days: number) {
      clock.now += days * DAY_MS;
    },
    /** Mails that a person was sent, as `subject`. */
    subjectsTo: (person: number) =>
      mailServer.taken.filter(({ to }) => to.includes(mailboxOf(person))).map(({ parsed }) => parsed.subject ?? ""),
    async stop() {
      for (const each of running) await each.stop();
    },
  };
}

const bytes = (value: Hex) => Buffer.from(value.slice(2), "hex");

/** Mails of one list by their Message-ID. */
export function byMessageId(taken: readonly TakenMail[]): Map<string, TakenMail[]> {
  return Map.groupBy(taken, ({ parsed }) => parsed.messageId ?? "");
}
