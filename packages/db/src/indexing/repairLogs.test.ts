import { expect, test } from "bun:test";
import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { indexContents } from "@dueday/db/test/indexContents";
import { block, hex, logAt, newScope, storeBlocks } from "@dueday/db/test/smallIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testDepth } from "@dueday/test-support/testDepth";
import fc from "fast-check";
import type { IndexedLog } from "../eventIndex/indexedLog";
import { repairLogs } from "./repairLogs";

const { database } = await createTestDatabase();
const BLOCKS = 8;
const IDS = 3;
const blocks = Array.from({ length: BLOCKS }, (_, index) => block(index + 1));
const TOKENS = [{ token: hex(7, 20), symbol: "USDC", decimals: 6 }];

const account = fc.integer({ min: 1, max: 3 }).map((value) => hex(value, 20));
const event: fc.Arbitrary<ProtocolEvent> = fc.oneof(
  fc.record({
    event: fc.constant("SubLog" as const),
    id: fc.integer({ min: 1, max: IDS }).map((id) => hex(id, 32)),
    provider: account,
    subscriber: account,
    token: fc.constant(hex(7, 20)),
    timestamp: fc.constant(1),
    amount: fc.constant(5n),
    code: fc.constantFrom(1, 2, 6, 6, 7),
  }),
  fc.record({
    event: fc.constant("DetailsLog" as const),
    id: fc.integer({ min: 1, max: IDS }).map((id) => hex(id, 32)),
    provider: account,
    timestamp: fc.constant(1),
    url: fc.constantFrom("a", "b"),
    description: fc.constant(""),
  }),
  fc.record({
    event: fc.constant("ProvDetailsLog" as const),
    provider: account,
    timestamp: fc.constant(1),
    description: fc.constantFrom("a", "b"),
    company: fc.constant(""),
    url: fc.constant(""),
    domain: fc.constant(""),
    email: fc.constant(""),
    misc: fc.constant(""),
  }),
);
const history = fc.array(fc.array(event, { maxLength: 4 }), { minLength: BLOCKS, maxLength: BLOCKS });

function creation(id: number): ProtocolEvent {
  return {
    event: "SubLog",
    id: hex(id, 32),
    provider: hex(1, 20),
    subscriber: hex(0, 20),
    token: hex(7, 20),
    timestamp: 1,
    amount: 5n,
    code: 0,
  };
}

/** Each block's events in order; block n creates subscription n. */
function logsOf(events: readonly ProtocolEvent[][]): IndexedLog[] {
  return events.flatMap((ofBlock, index) => {
    const created = index < IDS ? [creation(index + 1)] : [];
    return [...created, ...ofBlock].map((each, logIndex) => logAt(block(index + 1), logIndex, each));
  });
}

/** The contract has no event of a subscription before the block that creates it; a node may invent one. */
function possible(events: readonly ProtocolEvent[][]): ProtocolEvent[][] {
  return events.map((ofBlock, index) =>
    ofBlock.filter((each) => !("id" in each) || BigInt(each.id) <= BigInt(index + 1)),
  );
}

function termsOf(logs: readonly IndexedLog[]) {
  return logs.flatMap(({ event, blockNumber }) =>
    event.event === "SubLog" && event.code === 0
      ? [{ id: event.id, createdBlock: blockNumber, frequency: 1, dueDay: 28 }]
      : [],
  );
}

function repair(scope: ReturnType<typeof newScope>, logs: readonly IndexedLog[], from = 1) {
  return repairLogs(database, scope, {
    range: { from, to: BLOCKS },
    seen: { rewinds: 0 },
    tokens: TOKENS,
    logs,
    terms: termsOf(logs),
  });
}

test("whatever logs a node held back or invented, the repaired index equals one built from the chain at once", async () => {
  await fc.assert(
    fc.asyncProperty(
      history,
      history,
      fc.array(fc.boolean(), { minLength: 100, maxLength: 100 }),
      async (onChain, invented, choose) => {
        const logs = logsOf(possible(onChain));
        let next = 0;
        const keep = () => choose[next++ % choose.length] === true;
        const served = logs.filter(keep);
        const extra = logsOf(invented)
          .map((log) => ({ ...log, logIndex: log.logIndex + 20 }))
          .filter(({ event }) => !("code" in event && event.code === 0) && keep());
        const scope = newScope();
        await storeBlocks(database, scope, { after: null, blocks, logs: [...served, ...extra] });
        const repaired = await repair(scope, logs);
        expect(repaired?.added.length).toBe(logs.length - served.length);
        expect(repaired?.removed.length).toBe(extra.length);
        const fresh = newScope();
        await storeBlocks(database, fresh, { after: null, blocks, logs });
        expect(await indexContents(database, scope)).toEqual(await indexContents(database, fresh));
      },
    ),
    { numRuns: 25 * testDepth },
  );
});

test("an index that has every log is not changed by a repair", async () => {
  const scope = newScope();
  const logs = logsOf(Array.from({ length: BLOCKS }, () => []));
  await storeBlocks(database, scope, { after: null, blocks, logs });
  const before = await indexContents(database, scope);
  expect(await repair(scope, logs)).toEqual({ added: [], removed: [] });
  expect(await indexContents(database, scope)).toEqual(before);
});

test("a repair of blocks that were rewound meanwhile changes nothing", async () => {
  const scope = newScope();
  await storeBlocks(database, scope, { after: null, blocks: blocks.slice(0, 3), logs: [] });
  const before = await indexContents(database, scope);
  expect(await repair(scope, logsOf(Array.from({ length: BLOCKS }, () => [])))).toBeNull();
  expect(await indexContents(database, scope)).toEqual(before);
});
