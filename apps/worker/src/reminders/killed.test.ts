import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { byMessageId, createReminderFixture } from "@dueday/worker/test/createReminderFixture";
import { startMailServer } from "@dueday/worker/test/startMailServer";

const testDatabase = await createTestDatabase();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

const KILLS = testDepth === 1 ? 6 : 20 * testDepth;
const TIMEOUT_MS = 60_000 + KILLS * 5_000;
/** Mails that are made before each kill: fewer than a mailbox gets on a day, for some of several people. */
const MAILS = 12;
const LONGEST_LIFE_MS = 150;
/** Mails that a process sends at the same time. */
const MOST_UNDER_WAY = 8;
const VICTIM = join(import.meta.dir, "../../test/reminderVictim.ts");

test(
  `a worker that is killed ${KILLS} times while it sends loses no mail, and sends none again but under its Message-ID`,
  async () => {
    const fixture = createReminderFixture(testDatabase, 20_000, mailServer);
    const { scope, addPlan, join: subscribe, addMailbox, setHead, happen, events, settle, clock, start } = fixture;
    const random = randomFrom(testSeed);
    const people = Array.from({ length: Math.ceil((KILLS * MAILS) / 15) }, (_, index) => index + 1);
    await setHead(1_000_000);
    for (const person of people) {
      await addPlan(person);
      await subscribe(person, person);
      await addMailbox(person, ["receipt"]);
    }
    const first = start();
    await settle(first);
    await first.stop();
    mailServer.faults.slowMs = 5;
    let block = 1;
    for (let kill = 0; kill < KILLS; kill++) {
      for (let mail = 0; mail < MAILS; mail++, block++) {
        const person = people[block % people.length] ?? 1;
        // Each payment has a day of its own.
        const event = events.paid(block, person, person);
        Reflect.set(event.data, "dayNumber", block);
        await happen(event);
      }
      const taken = mailServer.taken.length;
      const args = [testDatabase.url, String(scope.chainId), scope.contract, mailServer.url, String(clock.now)];
      const victim = Bun.spawn([process.execPath, VICTIM, ...args], { stdout: "ignore", stderr: "inherit" });
      await waitUntil("the worker to send", () => mailServer.taken.length > taken);
      // At some moment between the first of these mails and the last.
      await Bun.sleep(random() * LONGEST_LIFE_MS);
      victim.kill("SIGKILL");
      await victim.exited;
    }
    mailServer.faults.slowMs = 0;
    const last = start();
    await settle(last);
    await fixture.stop();
    const mails = byMessageId(mailServer.taken);
    console.log(`${KILLS} kills, ${mails.size} mails, ${mailServer.taken.length - mails.size} sent again`);
    expect(mails.size).toBe(KILLS * MAILS);
    for (const copies of mails.values()) expect(new Set(copies.map(({ parsed }) => parsed.text)).size).toBe(1);
    // Those that were under way, or whose answer was not recorded yet, when a process was killed.
    expect(mailServer.taken.length - mails.size).toBeLessThanOrEqual(KILLS * MOST_UNDER_WAY);
  },
  TIMEOUT_MS,
);
