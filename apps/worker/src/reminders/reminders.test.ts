import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { deleteMailbox, storeMailbox } from "@dueday/db/reminders/mailboxes";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import {
  account,
  byMessageId,
  createReminderFixture,
  mailboxOf,
  plan,
} from "@dueday/worker/test/createReminderFixture";
import { startMailServer } from "@dueday/worker/test/startMailServer";
import { openMailServer } from "./openMailServer";

const testDatabase = await createTestDatabase();
const { database } = testDatabase;
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

let chainId = 7_000;
let fixture: ReturnType<typeof createReminderFixture>;
beforeEach(() => {
  mailServer.taken.length = 0;
  mailServer.asked.length = 0;
  mailServer.faults.refuses.clear();
  Object.assign(mailServer.faults, { afterData: null, cutsAfterData: 0, slowMs: 0 });
  chainId += 1;
  fixture = createReminderFixture(testDatabase, chainId, mailServer);
});
afterEach(async () => {
  await fixture.stop();
  await database.sql`truncate mailboxes, mails, mail_confirmations`;
});

const ALL = ["will_fail", "coming_yearly", "coming", "failed", "receipt"] as const;

test("a charge that will fail is mailed 7 and 2 days before, at once, and again when it is cured; after that it is mailed as a new one", async () => {
  const { addPlan, join, addMailbox, setHead, forecast, events, settle, travel, today, subjectsTo, start } = fixture;
  await setHead(1, 0);
  await addPlan(1);
  await join(1, 1);
  await addMailbox(1, ["will_fail"]);
  const due = today() + 7;
  await forecast(1, events.willFail(1, 1, 1, due));
  const reminders = start();
  await settle(reminders);
  expect(subjectsTo(1)).toEqual(["A payment of “Plan 1” will fail on Tuesday, 1 December 2026 (UTC)"]);
  for (let block = 2; block <= 8; block++) {
    travel(1);
    await setHead(block, 0);
    await forecast(block, events.willFail(block, 1, 1, due));
    await settle(reminders);
    expect(subjectsTo(1)).toHaveLength(block >= 6 ? 2 : 1);
  }
  travel(1);
  await setHead(9, 0);
  await forecast(9);
  await settle(reminders);
  expect(subjectsTo(1).at(-1)).toBe("The payment of “Plan 1” will not fail");
  await forecast(10, events.willFail(10, 1, 1, due));
  await settle(reminders);
  expect(subjectsTo(1)).toHaveLength(4);
});

test("a mailbox that is confirmed after a failure was found is warned too, once, and not of what is cured before it was mailed", async () => {
  const { addPlan, join, addMailbox, setHead, forecast, events, settle, today, subjectsTo, start } = fixture;
  await setHead(1, 0);
  await addPlan(1);
  await join(1, 1);
  await join(2, 1);
  await forecast(1, events.willFail(1, 1, 1, today() + 2), events.willFail(1, 2, 1, today() + 2));
  await forecast(2, events.willFail(2, 1, 1, today() + 2));
  const reminders = start();
  await settle(reminders);
  await addMailbox(1, ["will_fail"]);
  await addMailbox(2, ["will_fail"]);
  await settle(reminders);
  await settle(reminders);
  expect([subjectsTo(1).length, subjectsTo(2).length]).toEqual([1, 0]);
});

test("who has left, or has failed by now, is not mailed that the charge is cured", async () => {
  const { addPlan, join, addMailbox, setHead, forecast, events, settle, today, subjectsTo, start } = fixture;
  await setHead(1, 0);
  await addPlan(1);
  await join(1, 1);
  await addMailbox(1, ["will_fail"]);
  await forecast(1, events.willFail(1, 1, 1, today() + 1));
  const reminders = start();
  await settle(reminders);
  await join(1, 1, false);
  await forecast(2);
  await settle(reminders);
  expect(subjectsTo(1)).toHaveLength(1);
});

test("what happened is mailed when its block is safe; what is taken back before is not, and what is taken back later is corrected, unless it happens again", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, settle, reorganise, clock, subjectsTo, start } = fixture;
  await setHead(10, 5);
  await addPlan(1);
  await join(1, 1);
  await addMailbox(1, ["failed", "receipt"]);
  const reminders = start();
  await reminders.wake();
  await happen(events.paid(8, 1, 1), events.failed(9, 1, 1));
  await settle(reminders);
  expect(subjectsTo(1)).toEqual([]);
  await reorganise(8);
  await setHead(12, 9);
  await settle(reminders);
  expect(subjectsTo(1)).toEqual(["Receipt: 12.5 USDC for “Plan 1”"]);

  // It happens again in another block: nothing is to be said.
  await reorganise(7);
  await settle(reminders);
  await happen(events.paid(9, 1, 1, 1));
  await setHead(20, 19);
  await settle(reminders);
  clock.now += 3_600_000;
  await settle(reminders);
  expect(subjectsTo(1)).toHaveLength(1);

  // It does not.
  await reorganise(8);
  await settle(reminders);
  clock.now += 3_600_000;
  await settle(reminders);
  expect(subjectsTo(1).slice(1)).toEqual(["Correction: Receipt: 12.5 USDC for “Plan 1”"]);
  // It does much later.
  await happen(events.paid(15, 1, 1, 2));
  await settle(reminders);
  expect(subjectsTo(1).slice(2)).toEqual(["Receipt: 12.5 USDC for “Plan 1”"]);
});

test("a plan that its seller ended is mailed once to its payers, one that a payer was removed from to that payer, and coming charges by their kind", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, settle, subjectsTo, travel, start } = fixture;
  await setHead(10);
  await addPlan(1);
  await addPlan(2);
  await addPlan(3, { frequency: 3, dueDay: 335 });
  await join(1, 1);
  await join(2, 1);
  await join(1, 3);
  await join(2, 3);
  await addMailbox(1, ["failed", "coming_yearly"]);
  await addMailbox(2, ["coming"]);
  const reminders = start();
  await settle(reminders);
  await happen(events.cancelled(5, 1));
  await happen(events.removed(6, 1, 1), events.removed(6, 1, 2));
  travel(1);
  await setHead(11);
  await settle(reminders);
  expect(subjectsTo(1).toSorted()).toEqual([
    "“Plan 1” has ended",
    "“Plan 2” has ended",
    "“Plan 3” is charged on Tuesday, 1 December 2026 (UTC)",
  ]);
  expect(subjectsTo(2)).toEqual(["“Plan 1” is charged on Tuesday, 1 December 2026 (UTC)"]);
});

test("a charge in a paused token is not announced, as none is made; once the pause has ended it is", async () => {
  const { addPlan, join, addMailbox, setHead, setPaused, settle, subjectsTo, travel, start } = fixture;
  await setHead(10);
  await addPlan(1);
  await join(1, 1);
  await addMailbox(1, ["coming"]);
  await setPaused(true);
  travel(1);
  await setHead(11);
  const reminders = start();
  await settle(reminders);
  expect(subjectsTo(1)).toEqual([]);
  await setPaused(false);
  travel(1);
  await setHead(12);
  await settle(reminders);
  expect(subjectsTo(1)).toEqual(["“Plan 1” is charged on Tuesday, 1 December 2026 (UTC)"]);
});

test("a seller is mailed of who came, left, failed and was removed, and once of what will fail of a plan on a date", async () => {
  const { addPlan, join, addMailbox, setHead, happen, forecast, events, settle, subjectsTo, today, start } = fixture;
  await setHead(100);
  await addPlan(1);
  await addPlan(2);
  for (const person of [1, 2, 3]) await join(person, 1);
  await addMailbox(0, ["subscriber_new", "subscriber_left", "subscriber_failed", "subscriber_removed", "at_risk"]);
  const reminders = start();
  await settle(reminders);
  await happen(
    events.joined(1, 1, 1),
    events.left(2, 2, 2),
    events.failed(3, 3, 2),
    events.removed(4, 4, 2),
    events.paid(5, 1, 1),
  );
  await forecast(90, events.willFail(90, 1, 1, today() + 3), events.willFail(90, 2, 1, today() + 3));
  await settle(reminders);
  await forecast(
    91,
    events.willFail(91, 1, 1, today() + 3),
    events.willFail(91, 2, 1, today() + 3),
    events.willFail(91, 3, 1, today() + 3),
  );
  await settle(reminders);
  expect(subjectsTo(0).toSorted()).toEqual([
    "2 payments of “Plan 1”, due on Friday, 27 November 2026 (UTC), will fail",
    "A payment for “Plan 2” failed",
    "A subscriber left “Plan 2”",
    "A subscriber was removed from “Plan 2”",
    "New subscriber of “Plan 1”",
  ]);
  const text = mailServer.taken.find(({ parsed }) => parsed.subject?.includes("will fail"))?.parsed.text;
  expect(text).toContain("25 USDC together");
  expect(text).toContain("/app/providers/");
});

test("a seller gets the summary of a week once, on the Monday after it", async () => {
  const { scope, addPlan, join, addMailbox, setHead, settle, subjectsTo, travel, today, start } = fixture;
  await setHead(1);
  await addPlan(1);
  await addPlan(2);
  await join(1, 1);
  // The protocol keeps the subscribers of a cancelled plan for a time; they are charged no more.
  const idOfCancelled = Buffer.from(plan(2).slice(2), "hex");
  await database.sql`update subscriptions set active_subscribers = 1, cancelled_block = case when id = ${idOfCancelled} then 1 end
    where chain_id = ${scope.chainId}`;
  await addMailbox(0, ["weekly_summary"]);
  const provider = Buffer.from(account(0).slice(2), "hex");
  for (const day of [today(), today() + 4, today() + 6])
    await database.sql`insert into daily_money select chain_id, contract, ${provider}, 0, ${day}, token, 5000000, 1500000, 0, 2, 1
      from indexed_tokens where chain_id = ${scope.chainId}`;
  const reminders = start();
  for (let day = 0; day < 14; day++) {
    await settle(reminders);
    await settle(reminders);
    travel(1);
    await setHead(day + 2);
  }
  expect(subjectsTo(0)).toEqual([
    "Your week from Monday, 23 November 2026 (UTC) to Sunday, 29 November 2026 (UTC)",
    "Your week from Monday, 30 November 2026 (UTC) to Sunday, 6 December 2026 (UTC)",
  ]);
  expect(mailServer.taken[0]?.parsed.text).toContain(
    "Received, 4 payments: 10 USDC\nFailed, 2 payments: 3 USDC\nActive subscribers now: 1",
  );
});

test("a mailbox gets 20 mails on a day; what is beyond comes in one digest on the next", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, settle, subjectsTo, travel, start } = fixture;
  await setHead(1_000);
  for (let number = 1; number <= 30; number++) {
    await addPlan(number);
    await join(1, number);
  }
  await addMailbox(1, ["receipt"]);
  const workers = [start(), start()];
  const [first] = workers;
  if (first === undefined) throw new Error("two were started");
  await settle(first);
  for (let number = 1; number <= 30; number++) await happen(events.paid(number, 1, number));
  await settle(first);
  expect(subjectsTo(1)).toHaveLength(20);
  travel(1);
  await settle(first);
  expect(subjectsTo(1).slice(20)).toEqual(["10 more reminders of yesterday"]);
  const text = mailServer.taken.at(-1)?.parsed.text ?? "";
  for (const subject of subjectsTo(1).slice(0, 20)) expect(text).not.toContain(subject);
  expect(text.match(/Receipt: /g)).toHaveLength(10);
});

test("a mail has text and HTML with the same words, one link, an unsubscription with one click, and loads nothing", async () => {
  const { addPlan, join, addMailbox, setHead, forecast, events, settle, today, secrets, start } = fixture;
  await setHead(1, 0);
  await addPlan(1);
  await join(1, 1);
  await addMailbox(1, ALL);
  await forecast(1, events.willFail(1, 1, 1, today() + 7));
  await settle(start());
  const [mail] = mailServer.taken;
  const { headers, text = "", html } = mail?.parsed ?? {};
  const token = secrets.unsubscribeToken(account(1), secrets.hashOf(mailboxOf(1)));
  const unsubscribe = `https://dueday.example/mail/unsubscribe?token=${token}`;
  expect(mail?.raw.replace(/\r\n[ \t]/g, " ")).toContain(`List-Unsubscribe: <${unsubscribe}>`);
  expect(mail?.raw).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
  expect(headers?.get("auto-submitted")).toBe("auto-generated");
  for (const words of ["12.5 USDC", "Tuesday, 1 December 2026 (UTC)", "“Plan 1”", "Repair it", unsubscribe]) {
    expect(text).toContain(words);
    expect(html).toContain(words);
  }
  expect(String(html).match(/href="[^"]*"/g)).toHaveLength(2);
  expect(String(html)).not.toMatch(/src=|url\(|<script|<img|<link/i);
  expect(secrets.readUnsubscribeToken(token)).toEqual({
    account: account(1),
    mailboxHash: secrets.hashOf(mailboxOf(1)),
  });
});

test("hostile names add no header, no receiver, no markup, and nothing that a program makes a link of", async () => {
  const { addPlan, join, addMailbox, setHead, forecast, events, settle, today, start } = fixture;
  const names = [
    "x\r\nBcc: thief@evil.example\r\n\r\nhello",
    '<img src="https://evil.example/a.png"><script>alert(1)</script>',
    "https://evil.example/repair www.evil.example thief@evil.example",
    '", <thief@evil.example>, "',
    "=?utf-8?q?=0D=0ABcc:_thief@evil.example?=",
    "\u202eelpmaxe.live//:sptth",
  ];
  await setHead(1, 0);
  await addMailbox(1, ALL);
  for (const [index, description] of names.entries()) {
    await addPlan(index, { description: description.replace(/[\r\n\u202e]/g, "\ufffd") });
    await join(1, index);
  }
  await forecast(1, ...names.map((_, index) => events.willFail(1, 1, index, today() + 7)));
  await settle(start());
  expect(mailServer.taken).toHaveLength(names.length);
  for (const { to, parsed, raw } of mailServer.taken) {
    expect(to).toEqual([mailboxOf(1)]);
    expect(parsed.headers.has("bcc")).toBe(false);
    expect(raw.split("\r\n\r\n")[0]).not.toMatch(/^Bcc:/im);
    expect(parsed.headers.has("hello")).toBe(false);
    expect(String(parsed.html)).not.toMatch(/<script|<img/);
    for (const shown of [parsed.text ?? "", String(parsed.html), parsed.subject ?? ""]) {
      expect(shown).not.toMatch(/evil\.example|thief@/);
      expect(
        [...shown.matchAll(/https?:\/\/[^\s"<]+/g)].every(([url]) => url.startsWith("https://dueday.example/")),
      ).toBe(true);
    }
  }
});

test("a server that is away loses nothing, and its mails are sent when it is back", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, isIdle, settle, subjectsTo, clock, logged, start } =
    fixture;
  await setHead(100);
  await addPlan(1);
  await join(1, 1);
  await addMailbox(1, ["receipt"]);
  const reminders = start();
  await settle(reminders);
  await mailServer.close();
  await happen(events.paid(1, 1, 1));
  await waitUntil("the outage to be logged", async () => {
    await reminders.wake();
    return logged.join("").includes("can't be reached");
  });
  // Days of it use up no attempt.
  for (let day = 0; day < 12; day++) {
    clock.now += 86_400_000;
    await reminders.wake();
    // An attempt that ended after the clock was set would rest from then on.
    await waitUntil("the attempt to end", isIdle);
  }
  await mailServer.open();
  clock.now += 86_400_000;
  await settle(reminders);
  expect(subjectsTo(1)).toHaveLength(1);
  expect(logged.join("")).not.toContain("@example.org");
});

test("mails that fail together because the server is away count as one failure: the next attempt follows after seconds", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, isIdle, settle, subjectsTo, clock, logged, start } =
    fixture;
  const people = [1, 2, 3, 4, 5, 6];
  await setHead(100);
  await addPlan(1);
  for (const person of people) {
    await join(person, 1);
    await addMailbox(person, ["receipt"]);
  }
  const reminders = start();
  await settle(reminders);
  await mailServer.close();
  await happen(...people.map((person) => events.paid(person, person, 1)));
  await waitUntil("the outage to be logged", async () => {
    await reminders.wake();
    return logged.join("").includes("can't be reached");
  });
  await waitUntil("the attempts to end", isIdle);
  await mailServer.open();
  clock.now += 6_000;
  await settle(reminders);
  expect(people.map((person) => subjectsTo(person).length)).toEqual(people.map(() => 1));
});

test("a mailbox that the server refuses holds up no other, is not tried again for the same mail, and has to be confirmed again after three", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, settle, subjectsTo, clock, start } = fixture;
  await setHead(100);
  for (const number of [1, 2, 3, 4]) await addPlan(number);
  for (const person of [1, 2]) {
    for (const number of [1, 2, 3, 4]) await join(person, number);
    await addMailbox(person, ["receipt"]);
  }
  const reminders = start();
  await settle(reminders);
  mailServer.faults.refuses.set(mailboxOf(1), 550);
  clock.now += 3_600_000;
  for (const number of [1, 2, 3, 4]) {
    await happen(events.paid(number, 1, number), events.paid(number, 2, number));
    await settle(reminders);
  }
  expect(subjectsTo(2)).toHaveLength(4);
  expect(mailServer.asked.filter((address) => address === mailboxOf(1))).toHaveLength(3);
  // From then on it is stored as long as one that was never confirmed.
  const [row] = await database.sql`
    select confirmed_at, refusals, updated_at = ${new Date(clock.now).toISOString()} as is_new from mailboxes where refusals > 0`;
  expect(row).toMatchObject({ confirmed_at: null, refusals: 3, is_new: true });
});

test("what is taken back after the server refused its mail is not corrected, and mailed if it happens again", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, settle, reorganise, subjectsTo, clock, start } = fixture;
  await setHead(10, 9);
  await addPlan(1);
  await join(1, 1);
  await addMailbox(1, ["receipt"]);
  const reminders = start();
  await reminders.wake();
  mailServer.faults.refuses.set(mailboxOf(1), 550);
  await happen(events.paid(8, 1, 1));
  await settle(reminders);
  expect(mailServer.asked).toContain(mailboxOf(1));
  mailServer.faults.refuses.clear();
  await reorganise(7);
  await settle(reminders);
  clock.now += 3_600_000;
  await settle(reminders);
  expect(subjectsTo(1)).toEqual([]);
  // It happens again: of this, a mail is sent.
  await happen(events.paid(9, 1, 1, 1));
  await settle(reminders);
  expect(subjectsTo(1)).toEqual(["Receipt: 12.5 USDC for “Plan 1”"]);
});

test("what a server puts off, or takes too long for, is tried again later", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, settle, subjectsTo, clock, start } = fixture;
  await setHead(100);
  await addPlan(1);
  await addPlan(2);
  await join(1, 1);
  await join(2, 2);
  for (const person of [1, 2]) await addMailbox(person, ["receipt"]);
  const reminders = start({ sendMs: 300 });
  await settle(reminders);
  mailServer.faults.refuses.set(mailboxOf(1), 451);
  await happen(events.paid(1, 1, 1));
  await settle(reminders);
  mailServer.faults.refuses.clear();
  mailServer.faults.slowMs = 1_000;
  await happen(events.paid(2, 2, 2));
  await settle(reminders);
  mailServer.faults.slowMs = 0;
  clock.now += 6_000;
  await settle(reminders);
  expect(subjectsTo(1)).toHaveLength(1);
  const second = () => mailServer.taken.filter(({ to }) => to.includes(mailboxOf(2)));
  await waitUntil("the slow server to take what it was sent first", () => second().length === 2);
  expect(byMessageId(second()).size).toBe(1);
});

test("a mail whose answer was lost is sent again under the same Message-ID", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, settle, clock, start } = fixture;
  await setHead(100);
  await addPlan(1);
  await join(1, 1);
  await addMailbox(1, ["receipt"]);
  const reminders = start();
  await settle(reminders);
  mailServer.faults.cutsAfterData = 1;
  await happen(events.paid(1, 1, 1));
  await settle(reminders);
  clock.now += 60_000;
  await settle(reminders);
  expect(mailServer.taken).toHaveLength(2);
  expect(byMessageId(mailServer.taken).size).toBe(1);
});

test("after unsubscribing nothing is mailed, not even what was waiting; a changed mailbox gets nothing of before", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, settle, subjectsTo, secrets, clock, start } = fixture;
  await setHead(10, 0);
  await addPlan(1);
  await join(1, 1);
  await join(2, 1);
  await addMailbox(1, ["receipt"]);
  await addMailbox(2, ["receipt"]);
  const reminders = start();
  await settle(reminders);
  await happen(events.paid(1, 1, 1), events.paid(1, 2, 1));
  await settle(reminders);
  await deleteMailbox(database, account(1), secrets.hashOf(mailboxOf(1)));
  const moved = {
    account: account(2),
    mailbox: "elsewhere@example.org",
    kinds: ["receipt"] as const,
    now: new Date(clock.now),
  };
  await storeMailbox(database, secrets, moved);
  await setHead(20, 20);
  await happen(events.paid(2, 1, 1));
  await settle(reminders);
  expect([subjectsTo(1), subjectsTo(2)]).toEqual([[], []]);
  expect(mailServer.taken.map(({ to }) => to[0])).toEqual(["elsewhere@example.org"]);
  const [left] = await database.sql<
    { count: number }[]
  >`select count(*)::int as count from mails where account = ${Buffer.from(account(1).slice(2), "hex")}`;
  expect(left?.count).toBe(0);
});

test("a kind that is switched off mails nothing more: neither that a charge is cured nor a correction of what was mailed", async () => {
  const { addPlan, join, addMailbox, setHead, forecast, happen, reorganise, events, settle, subjectsTo, start } =
    fixture;
  const { secrets, clock, today } = fixture;
  await setHead(10, 9);
  await addPlan(1);
  await join(1, 1);
  await addMailbox(1, ["will_fail", "receipt"]);
  const reminders = start();
  // What happened before the first look is mailed to nobody.
  await settle(reminders);
  await forecast(8, events.willFail(8, 1, 1, today() + 2));
  await happen(events.paid(9, 1, 1));
  await settle(reminders);
  expect(subjectsTo(1)).toHaveLength(2);
  const now = new Date(clock.now);
  await storeMailbox(database, secrets, { account: account(1), mailbox: mailboxOf(1), kinds: ["failed"], now });
  await forecast(10);
  await reorganise(8);
  await settle(reminders);
  clock.now += 3_600_000;
  await happen(events.failed(10, 1, 1));
  await setHead(20, 20);
  await settle(reminders);
  expect(subjectsTo(1).slice(2)).toEqual(["A payment of “Plan 1” failed"]);
});

test("mails of a worker that was killed are sent by another one when its lease has expired", async () => {
  const { addPlan, join, addMailbox, setHead, happen, events, settle, subjectsTo, start } = fixture;
  await setHead(100);
  await addPlan(1);
  await join(1, 1);
  await addMailbox(1, ["receipt"]);
  // It takes the mail and never ends, as a process that was killed while it sent.
  const silent = start({ leaseMs: 1_500, server: { send: () => Promise.withResolvers<never>().promise, close() {} } });
  await silent.wake();
  await happen(events.paid(1, 1, 1));
  await waitUntil(
    "the mail to be leased",
    async () => (await database.sql`select from mails where leased_by is not null`).length === 1,
  );
  const other = start();
  await settle(other);
  expect(subjectsTo(1)).toHaveLength(1);
});

test("no mail is sent for a mailbox that was encrypted with another key", async () => {
  const { setHead, clock, database: own, settle, start, secrets } = fixture;
  await setHead(1);
  await storeMailbox(
    own,
    { ...secrets, seal: () => "0x00" },
    { account: account(1), mailbox: mailboxOf(1), kinds: [], now: new Date(clock.now) },
  );
  await settle(start());
  expect(mailServer.taken).toEqual([]);
});

test("a mail goes to its mailbox alone", () => {
  const settings = {
    smtpUrl: mailServer.url,
    from: "a@example.org",
    replyTo: null,
    publicUrl: "https://dueday.example",
  };
  const server = openMailServer(settings);
  const mail = {
    to: mailboxOf(1),
    subject: "s",
    text: "t",
    html: "h",
    messageId: "a@b",
    unsubscribeUrl: "https://dueday.example/",
  };
  return expect(server.send(mail).finally(() => server.close())).resolves.toEqual({ sent: true });
});
