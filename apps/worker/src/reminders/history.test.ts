import { afterAll, expect, test } from "bun:test";
import { DAY_MS } from "@dueday/core/calendar/dayNumber";
import { deleteMailbox } from "@dueday/db/reminders/mailboxes";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import { account, byMessageId, createReminderFixture, mailboxOf } from "@dueday/worker/test/createReminderFixture";
import { createMailOracle, createReminderHistory, failingEvents } from "@dueday/worker/test/reminderHistory";
import { startMailServer } from "@dueday/worker/test/startMailServer";

const testDatabase = await createTestDatabase();
const { database } = testDatabase;
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

const HISTORIES = testDepth === 1 ? 3 : 20 * testDepth;
const TIMEOUT_MS = 180_000 * testDepth;
const DAYS = 24;
const PEOPLE = [1, 2, 3];
const PLANS = [1, 2, 3];
const MINUTE_MS = 60_000;

/** What a mail is about, as the oracle writes it. */
function aboutOf(subject: string): string {
  const plan = /Plan (\d)/.exec(subject)?.[1];
  const kinds = {
    "^Receipt": "receipt",
    " will fail on ": "will_fail",
    " will not fail$": "cured",
    " failed$": "failed",
  };
  const [, kind = subject] = Object.entries(kinds).find(([pattern]) => new RegExp(pattern).test(subject)) ?? [];
  return `${kind} ${plan}`;
}

test(
  `in ${HISTORIES} random histories of ${DAYS} days each person gets what an oracle expects, none missing and none of it twice but where the server's answer was lost`,
  async () => {
    let mails = 0;
    let lost = 0;
    for (let index = 0; index < HISTORIES; index++) {
      const done = await runHistory(index);
      mails += done.mails;
      lost += done.lost;
    }
    console.log(`${HISTORIES} histories, ${mails} mails, ${lost} sent again after a lost answer`);
    expect(mails).toBeGreaterThan(HISTORIES * 10);
  },
  TIMEOUT_MS,
);

async function runHistory(index: number): Promise<{ mails: number; lost: number }> {
  const random = randomFrom(testSeed + index);
  const fixture = createReminderFixture(testDatabase, 10_000 + index, mailServer);
  const {
    setHead,
    addPlan,
    join,
    addMailbox,
    happen,
    forecast,
    reorganise,
    atOnce,
    settle,
    events,
    clock,
    today,
    secrets,
    start,
  } = fixture;
  const history = createReminderHistory(PEOPLE, PLANS, random);
  const oracles = new Map(PEOPLE.map((person) => [person, createMailOracle(person)]));
  mailServer.taken.length = 0;
  let cuts = 0;
  await setHead(1);
  for (const plan of PLANS) await addPlan(plan);
  for (const person of PEOPLE) await addMailbox(person, ["will_fail", "failed", "receipt"]);
  let worker = start();
  await settle(worker);
  let block = 10;

  /** One or two looks of a worker at the present state, with faults before that end. */
  async function look(): Promise<void> {
    const fault = history.below(8);
    const person = PEOPLE[history.below(PEOPLE.length)] ?? 1;
    const before = mailServer.faults.cutsAfterData;
    if (fault === 0) mailServer.faults.cutsAfterData = 1;
    if (fault === 1) mailServer.faults.refuses.set(mailboxOf(person), 451);
    if (fault === 2) mailServer.faults.afterData = 452;
    if (fault === 3) await mailServer.close();
    if (fault <= 3) await worker.wake();
    if (fault === 4 || fault === 0) {
      // Another worker takes over, in the middle of what this one does.
      const ended = worker.stop();
      worker = start();
      await ended;
    }
    if (fault === 3) await mailServer.open();
    if (fault === 0) cuts += before + 1 - mailServer.faults.cutsAfterData;
    mailServer.faults.cutsAfterData = 0;
    mailServer.faults.refuses.clear();
    mailServer.faults.afterData = null;
    // Beyond the first pauses of what was put off, within the day.
    for (let tries = 0; tries < 3; tries++) {
      clock.now += 31 * MINUTE_MS;
      await settle(worker);
    }
  }

  let failing: ReturnType<typeof history.foresee> = [];

  async function lookEarly(): Promise<void> {
    await look();
    foreseen();
  }

  /** The oracles see the last forecast with what is left of the days until then. */
  function foreseen(): void {
    for (const [person, oracle] of oracles) oracle.forecast(failing, today(), (plan) => history.isMember(person, plan));
  }

  const firstDay = today();
  for (let day = 0; day < DAYS; day++) {
    const now = firstDay + day;
    const leaver = day === 12 ? PEOPLE[history.below(PEOPLE.length)] : undefined;
    if (leaver !== undefined && history.below(2) === 0) {
      await deleteMailbox(database, account(leaver), secrets.hashOf(mailboxOf(leaver)));
      oracles.get(leaver)?.unsubscribe();
    }
    const { joined, left } = history.act();
    for (const [person, plan] of left) await join(person, plan, false, block);
    for (const [person, plan] of joined) {
      await join(person, plan, true, block);
      oracles.get(person)?.noteJoined(plan);
    }
    const { paid, failed } = history.charge(now);
    for (const [person, plan] of failed) await join(person, plan, false, block);
    const settled = (at: number, salt: number) => [
      ...paid.map(([person, plan]) => events.paid(at, person, plan, salt)),
      ...failed.map(([person, plan]) => events.failed(at, person, plan, salt)),
    ];
    // What is not safe is not mailed; a day less is left until what yesterday's forecast found.
    const [looksEarly, isReplaced, looksBetween] = [3, 3, 2].map((one) => history.below(one) === 0);
    const begin = async () => {
      clock.now = now * DAY_MS + 9 * 60 * MINUTE_MS;
      await setHead(block, block - 1);
      await happen(...settled(block, 0));
    };
    const replace = async () => {
      await reorganise(block - 1);
      if (looksBetween === true && looksEarly === true) return;
      await happenAgain();
    };
    const happenAgain = async () => {
      block += 1;
      await setHead(block, block - 1);
      await happen(...settled(block, 1));
    };
    const end = async () => {
      failing = history.foresee(now);
      await forecast(block, ...failingEvents(fixture, block, failing));
      block += 1;
      await setHead(block, block - 1);
    };
    const steps = [begin, ...(isReplaced === true ? [replace] : [])];
    if (looksEarly === true) {
      for (const step of steps) {
        await atOnce(step);
        await lookEarly();
      }
      await atOnce(async () => {
        if (isReplaced === true && looksBetween === true) await happenAgain();
        await end();
      });
    } else {
      await atOnce(async () => {
        for (const step of [...steps, end]) await step();
      });
    }
    await look();
    for (const [person, oracle] of oracles) {
      for (const [payer, plan] of paid) if (payer === person) oracle.happened("receipt", plan);
      for (const [payer, plan] of failed) if (payer === person) oracle.happened("failed", plan);
    }
    foreseen();
    block += 1;
  }
  await fixture.stop();

  let twice = 0;
  for (const [person, { expected }] of oracles) {
    const got = byMessageId(mailServer.taken.filter(({ to }) => to.includes(mailboxOf(person))));
    const subjects = [...got.values()].flatMap(([first]) =>
      first === undefined ? [] : [aboutOf(first.parsed.subject ?? "")],
    );
    expect(subjects.toSorted(), `history ${index}, person ${person}`).toEqual(expected.toSorted());
    for (const copies of got.values()) twice += copies.length - 1;
  }
  expect(twice).toBeLessThanOrEqual(cuts);
  await database.sql`truncate mailboxes, mails, mail_confirmations`;
  return { mails: mailServer.taken.length, lost: twice };
}
