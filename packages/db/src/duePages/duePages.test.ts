import { expect, test } from "bun:test";
import { DUE_PAGE_ENTRIES, type DueDay, DuePage } from "@dueday/core/snapshots/dueDay";
import { dueDayOf } from "@dueday/core/test/dueDayOf";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { Value } from "@sinclair/typebox/value";
import { writeSnapshots } from "../snapshots/writeSnapshots";
import { cutDueDay } from "./cutDueDay";
import { pruneDuePages } from "./pruneDuePages";
import { readDuePages } from "./readDuePages";
import { writeDuePages } from "./writeDuePages";

const { database } = await createTestDatabase();
const DAY = 20_777;
let contracts = 0;

function newScope() {
  contracts += 1;
  return { chainId: 31337, contract: `0x${contracts.toString(16).padStart(40, "0")}` };
}

type Scope = ReturnType<typeof newScope>;

/** Writes a day as a scan does. Returns how many pages were new. */
async function writeDay(scope: Scope, blockNumber: bigint, day: DueDay): Promise<number> {
  const { head, pages } = cutDueDay(day);
  const written = await writeDuePages(database, scope, pages);
  const payload = JSON.stringify(head);
  const hash = new Bun.CryptoHasher("sha256").update(payload).digest("hex");
  const block = { blockNumber, blockHash: `0x${blockNumber}` as const, blockTimestamp: 1, blockTimestampMs: null };
  const row = { ...scope, kind: "due" as const, key: String(day.dayNumber), ...block, computedAt: new Date() };
  await writeSnapshots(database, [{ ...row, payload, hash }]);
  return written;
}

async function storedHashes({ contract }: Scope): Promise<string[]> {
  const rows = await database.sql<{ hash: string }[]>`select hash from due_pages where contract = ${contract}`;
  return rows.map(({ hash }) => hash);
}

test("a change of one subscription writes one page, and one day after another of equal lists none", async () => {
  const scope = newScope();
  const lengths = [1_000, 250];
  expect(await writeDay(scope, 1n, dueDayOf(DAY, lengths))).toBe(10 + 3);
  expect(
    await writeDay(
      scope,
      2n,
      dueDayOf(DAY, lengths, (index) => (index === 555 ? 2 : 1)),
    ),
  ).toBe(1);
  expect(await writeDay(scope, 2n, dueDayOf(DAY + 7, lengths))).toBe(0);
});

test("the pages that a head names have all entries of its lists in order, and an empty list has none", async () => {
  const scope = newScope();
  const day = dueDayOf(DAY, [201, 0, 100]);
  const { head, pages } = cutDueDay(day);
  await writeDuePages(database, scope, pages);
  const stored = await readDuePages(
    database,
    scope,
    head.lists.flatMap((list) => list.pages),
  );
  const lists = head.lists.map((list) =>
    list.pages.flatMap((hash) => Value.Parse(DuePage, JSON.parse(stored.get(hash) ?? "null"))),
  );
  expect(lists).toEqual(day.lists.map(({ subscriptions }) => subscriptions));
  expect(head.lists.map((list) => list.pages.length)).toEqual([Math.ceil(201 / DUE_PAGE_ENTRIES), 0, 1]);
});

test("writers of the same pages at the same time store each once", async () => {
  const scope = newScope();
  const { pages } = cutDueDay(dueDayOf(DAY, [3_000]));
  await Promise.all([pages, pages.toReversed(), pages].map((each) => writeDuePages(database, scope, each)));
  expect(new Set(await storedHashes(scope))).toEqual(new Set(pages.map(({ hash }) => hash)));
});

test("pruning deletes the pages that no snapshot names, and not those that a scan has needed since", async () => {
  const scope = newScope();
  const first = dueDayOf(DAY, [150]);
  const second = dueDayOf(DAY, [150], () => 2);
  await writeDay(scope, 1n, first);
  await writeDay(scope, 2n, second);
  await writeDay(scope, 2n, dueDayOf(DAY + 1, [50]));
  expect(await pruneDuePages(database, scope)).toBe(0);
  await database.sql`update due_pages set needed_at = now() - interval '2 hours' where contract = ${scope.contract}`;
  // A scan that is about to name a page again.
  const [again] = cutDueDay(first).pages;
  await writeDuePages(database, scope, again === undefined ? [] : [again]);
  expect(await pruneDuePages(database, scope)).toBe(1);
  const named = [second, dueDayOf(DAY + 1, [50])].flatMap((day) => cutDueDay(day).pages.map(({ hash }) => hash));
  expect(new Set(await storedHashes(scope))).toEqual(new Set([...named, again?.hash ?? ""]));
});

test("pages of another version stay while a snapshot of it does", async () => {
  const scope = newScope();
  await writeDay(scope, 1n, dueDayOf(DAY, [10]));
  await database.sql`
    update due_pages set kind = 'due.v999', needed_at = now() - interval '2 hours' where contract = ${scope.contract}`;
  await database.sql`update snapshots set kind = 'due.v999' where contract = ${scope.contract}`;
  expect(await pruneDuePages(database, scope)).toBe(0);
  await database.sql`delete from snapshots where contract = ${scope.contract}`;
  expect(await pruneDuePages(database, scope)).toBe(1);
});
