import { expect, test } from "bun:test";
import { DAY_MS } from "@dueday/core/calendar/dayNumber";
import { hex, newScope } from "@dueday/db/test/smallIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { insertMail } from "./insertMail";
import { type LeasedMail, leaseMails, MAILS_A_DAY, readDigest } from "./leaseMails";
import { confirmMailbox, storeMailbox } from "./mailboxes";
import { createMailSecrets } from "./mailSecrets";
import { recordSent } from "./recordMail";

const { database } = await createTestDatabase();
const LATE = Date.UTC(2026, 10, 24, 23, 59, 59);
const account = hex(1, 20);
const secrets = createMailSecrets("5e".repeat(32));

async function addMails(count: number): Promise<void> {
  const facts = {
    kind: "receipt",
    plan: hex(2, 32),
    date: "2026-11-24",
    charged: { amount: "1", symbol: "USDC" },
    isInitial: false,
    transactionHash: hex(3, 32),
  } as const;
  const mailboxHash = secrets.hashOf("a@example.org");
  for (let number = 0; number < count; number++) {
    const mail = { account, mailboxHash, subject: crypto.randomUUID(), wants: "receipt", facts } as const;
    await database.sql.begin((sql) => insertMail(sql, { ...mail, scope: newScope() }, new Date(LATE - 1_000)));
  }
}

/** What a worker sends at a time of its clock. */
async function send(at: number): Promise<LeasedMail[]> {
  const lease = { workerId: crypto.randomUUID(), leaseMs: 60_000 };
  const mails = await leaseMails(database, lease, { most: 100, now: new Date(at) });
  for (const mail of mails) await recordSent(database, mail, new Date(at));
  return mails;
}

test("a mail that a worker with a slow clock holds after the digest of the day was sent is in the next one", async () => {
  const now = new Date(LATE - DAY_MS);
  await storeMailbox(database, secrets, { account, mailbox: "a@example.org", kinds: ["receipt"], now });
  const [{ id = "" } = {}] = await database.sql<{ id: string }[]>`select id from mail_confirmations`;
  await confirmMailbox(database, id, now);
  await send(now.getTime());
  await addMails(MAILS_A_DAY + 2);
  expect(await send(LATE)).toHaveLength(MAILS_A_DAY);
  const [digest] = await send(LATE + 2_000);
  expect(await readDigest(database, digest?.id ?? "")).toHaveLength(2);
  await addMails(1);
  expect(await send(LATE)).toEqual([]);
  expect(await send(LATE + 4_000)).toEqual([]);
  const [next] = await send(LATE + DAY_MS + 4_000);
  expect(next?.facts).toEqual({ kind: "digest" });
  expect(await readDigest(database, next?.id ?? "")).toHaveLength(1);
});
