import { expect, test } from "bun:test";
import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { indexContents } from "@dueday/db/test/indexContents";
import { block, hex, logAt, newScope, rewindTo, storeBlocks } from "@dueday/db/test/smallIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testDepth } from "@dueday/test-support/testDepth";
import { waitUntil } from "@dueday/test-support/waitUntil";
import fc from "fast-check";
import type { IndexedBlock, IndexedLog } from "../eventIndex/indexedLog";
import type { ContractScope } from "../schema/columns";
import { rebuildDerived } from "./rebuildDerived";
import { rewindLogs } from "./rewindLogs";

const { database } = await createTestDatabase();

const contents = (scope: ContractScope) => indexContents(database, scope);

/** Stores whole blocks after those already stored. */
function store(scope: ContractScope, after: IndexedBlock | null, blocks: IndexedBlock[], logs: IndexedLog[]) {
  return storeBlocks(database, scope, { after, blocks, logs });
}

const IDS = 3;
const ACCOUNTS = 4;
const account = fc.integer({ min: 1, max: ACCOUNTS }).map((value) => hex(value, 20));
const timestamp = fc.constant(1_770_000_000);
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const hostileText = fc.constantFrom(
  "",
  "a\0b",
  "\\N",
  "\\x41",
  "tab\tline\n",
  "\u001b[31m",
  "\ud800",
  "é".repeat(5_000),
);
const event: fc.Arbitrary<ProtocolEvent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      event: fc.constant("SubLog" as const),
      id: fc.integer({ min: 1, max: IDS }).map((id) => hex(id, 32)),
      provider: account,
      subscriber: account,
      token: fc.constant(hex(7, 20)),
      timestamp,
      amount,
      code: fc.constantFrom(1, 2, 5, 6, 6, 7, 7),
    }),
  },
  fc.record({
    event: fc.constant("DetailsLog" as const),
    id: fc.integer({ min: 1, max: IDS }).map((id) => hex(id, 32)),
    provider: account,
    timestamp,
    url: hostileText,
    description: hostileText,
  }),
  fc.record({
    event: fc.constant("ProvDetailsLog" as const),
    provider: account,
    timestamp,
    description: hostileText,
    company: hostileText,
    url: hostileText,
    domain: hostileText,
    email: hostileText,
    misc: hostileText,
  }),
  fc.record({
    event: fc.constant("CallerLog" as const),
    timestamp: fc.constant(2 ** 40 - 1),
    checkedDay: fc.nat(),
    caller: account,
    isFinished: fc.boolean(),
  }),
  fc.record({
    event: fc.constant("Coordinates" as const),
    id: fc.constant(hex(1, 32)),
    subscriberIndex: amount,
    subscriptionIndex: amount,
    frequency: amount,
    nextUncheckedDay: fc.nat(),
  }),
  fc.record({ event: fc.constant("UList" as const), timestamp, id: fc.constant(hex(1, 32)), subscriber: account }),
);

/** Events of block 1, 2 and so on; block 1 creates every subscription that other events refer to. */
const chain = fc.array(fc.array(event, { maxLength: 4 }), { minLength: 2, maxLength: 12 });

function logsOf(blocks: readonly ProtocolEvent[][], from: number, fork: number): IndexedLog[] {
  return blocks.flatMap((events, index) => {
    const at = block(index + 1, index + 1 >= from ? fork : 0);
    const created = index === 0 ? Array.from({ length: IDS }, (_, id) => creation(id + 1)) : [];
    return [...created, ...events].map((each, logIndex) => logAt(at, logIndex, each));
  });
}

function creation(id: number): ProtocolEvent {
  return {
    event: "SubLog",
    id: hex(id, 32),
    provider: hex(1, 20),
    subscriber: hex(0, 20),
    token: hex(7, 20),
    timestamp: 1_770_000_000,
    amount: 5n * 10n ** 18n,
    code: 0,
  };
}

test("after any sequence of stored and rewound batches, the index equals one that was built from the final chain at once", async () => {
  await fc.assert(
    fc.asyncProperty(chain, chain, fc.nat(), fc.nat(), async (first, second, cut, fork) => {
      const ancestor = 1 + (fork % first.length);
      const split = 1 + (cut % first.length);
      const scope = newScope();
      const before = logsOf(first, 1, 0);
      const blocks = first.map((_, index) => block(index + 1));
      expect(
        await store(
          scope,
          null,
          blocks.slice(0, split),
          before.filter((log) => log.blockNumber <= split),
        ),
      ).toBe(true);
      if (split < first.length) {
        const rest = before.filter((log) => log.blockNumber > split);
        expect(await store(scope, block(split), blocks.slice(split), rest)).toBe(true);
      }
      const final = [...first.slice(0, ancestor), ...second];
      const after = logsOf(final, ancestor + 1, 1);
      const newBlocks = second.map((_, index) => block(ancestor + 1 + index, 1));
      if (ancestor < first.length) expect(await rewindTo(database, scope, block(ancestor))).toBe(true);
      const newLogs = after.filter((log) => log.blockNumber > ancestor);
      expect(await store(scope, block(ancestor), newBlocks, newLogs)).toBe(true);

      const fresh = newScope();
      await store(fresh, null, [...blocks.slice(0, ancestor), ...newBlocks], after);
      expect(await contents(scope)).toEqual(await contents(fresh));
      await rebuildDerived(database, scope);
      expect(await contents(scope)).toEqual(await contents(fresh));
    }),
    { numRuns: testDepth === 1 ? 12 : 25 * testDepth },
  );
});

test("a batch that does not follow the stored checkpoint changes nothing", async () => {
  const scope = newScope();
  await store(scope, null, [block(1)], [logAt(block(1), 0, creation(1))]);
  const before = await contents(scope);
  expect(await store(scope, null, [block(2)], [logAt(block(2), 0, creation(2))])).toBe(false);
  expect(await store(scope, block(1, 9), [block(2)], [logAt(block(2), 0, creation(2))])).toBe(false);
  expect(await rewindLogs(database, scope, { ancestor: block(0), seen: block(1, 9) })).toBe(false);
  expect(await contents(scope)).toEqual(before);
});

/** Block 1 is stored; 2 and 3 are to be stored, each beside the one before. */
async function twoBatches() {
  const scope = newScope();
  const subscribed = (subscriber: number): ProtocolEvent => {
    const parties = { id: hex(1, 32), provider: hex(1, 20), subscriber: hex(subscriber, 20), token: hex(7, 20) };
    return { event: "SubLog", ...parties, timestamp: 1_770_000_000, amount: 1n, code: 6 };
  };
  const first = logAt(block(1), 0, creation(1));
  const [second, third] = [logAt(block(2), 0, subscribed(2)), logAt(block(3), 0, subscribed(3))];
  await store(scope, null, [block(1)], [first]);
  const batch = (after: IndexedBlock, log: IndexedLog) => ({ after, blocks: [block(log.blockNumber)], logs: [log] });
  return { scope, first, second, third, two: batch(block(1), second), three: batch(block(2), third) };
}

/** Whether a session has copied logs that it may not store yet. */
async function hasCopied(): Promise<boolean> {
  const found = await database.sql`select from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction' and query like 'copy "sub_logs"%'`;
  return found.length > 0;
}

test("batches that are copied beside the one before are stored in their order, as if one after the other", async () => {
  const { scope, first, second, third, two, three } = await twoBatches();
  const before = await contents(scope);
  const [secondTurn, thirdTurn] = [Promise.withResolvers<boolean>(), Promise.withResolvers<void>()];
  const secondStored = storeBlocks(database, scope, two, { before: secondTurn.promise, onTurn: thirdTurn.resolve });
  await waitUntil("the copied logs of block 2", hasCopied);
  expect(await contents(scope)).toEqual(before);
  secondTurn.resolve(true);
  await thirdTurn.promise;
  const thirdStored = storeBlocks(database, scope, three, { before: secondStored, onTurn: () => {} });
  expect(await Promise.all([secondStored, thirdStored])).toEqual([true, true]);
  const fresh = newScope();
  await store(fresh, null, [block(1), block(2), block(3)], [first, second, third]);
  expect(await contents(scope)).toEqual(await contents(fresh));
});

test("a batch that is copied beside one that is not stored, or that fails, changes nothing", async () => {
  const { scope, two, three } = await twoBatches();
  const before = await contents(scope);
  const onTurn = () => {
    throw new Error("it is not its turn");
  };
  expect(await storeBlocks(database, scope, three, { before: Promise.resolve(false), onTurn })).toBe(false);
  const failed = Promise.reject(new Error("the batch before failed"));
  failed.catch(() => {});
  await expect(storeBlocks(database, scope, three, { before: failed, onTurn })).rejects.toThrow(
    "the batch before failed",
  );
  // The index has moved: what it was to follow is not the checkpoint.
  const moved = { ...two, after: block(1, 9) };
  expect(await storeBlocks(database, scope, moved, { before: Promise.resolve(true), onTurn })).toBe(false);
  expect(await contents(scope)).toEqual(before);
});

test("untrusted texts are stored cleaned and cut, together with the unchanged bytes", async () => {
  const scope = newScope();
  const text = `a\0b\u001b[31m\\N${"é".repeat(150_000)}`;
  const raw = hex(0xff00c3, 3);
  const profile: ProtocolEvent = {
    event: "ProvDetailsLog",
    provider: hex(1, 20),
    timestamp: 2 ** 40 - 1,
    description: text,
    company: "\\x00",
    url: "",
    domain: "d",
    email: "e",
    misc: "m",
  };
  expect(await store(scope, null, [block(1)], [logAt(block(1), 0, profile, { data: raw })])).toBe(true);
  const [row] = await database.sql`select * from provider_details_logs where chain_id = ${scope.chainId}`;
  expect(row).toMatchObject({ company: "\\x00", truncated: true, raw: Buffer.from("ff00c3", "hex") });
  expect(row?.description).toStartWith("a\ufffdb\ufffd[31m\\Né");
  expect(Buffer.byteLength(row?.description)).toBeLessThanOrEqual(4_096);
});
