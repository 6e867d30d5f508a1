import { expect, test } from "bun:test";
import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { IndexedBlock } from "@dueday/db/index/indexedLog";
import { block, hex, logAt, newScope, storeBlocks } from "@dueday/db/test/smallIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { listRemits, type RemitFilters, type RemitPage } from "./listRemits";
import { type PageBreak, readPageBreak } from "./readPageBreak";
import { rewindLogs } from "./rewindLogs";

const { database } = await createTestDatabase();
const ID = hex(1, 32);
const [KEEPER, OTHER_KEEPER, PROVIDER] = [hex(11, 20), hex(12, 20), hex(13, 20)];
const TIMESTAMP = 1_770_000_000;

function payment(day: number, position: number): ProtocolEvent {
  return {
    ...{ event: "Coordinates", id: ID, frequency: 1n, nextUncheckedDay: day },
    ...{ subscriberIndex: BigInt(position), subscriptionIndex: 3n },
  };
}

function failure(): ProtocolEvent {
  return {
    ...{ event: "SubLog", id: ID, provider: PROVIDER, subscriber: hex(20, 20), token: hex(7, 20) },
    ...{ timestamp: TIMESTAMP, amount: 0n, code: subLogCode.Failed },
  };
}

function call(day: number, isFinished: boolean, caller = KEEPER): ProtocolEvent {
  return { event: "CallerLog", timestamp: TIMESTAMP + day, checkedDay: day, caller, isFinished };
}

/** The logs of some transactions in one block. */
function logsOf(at: IndexedBlock, transactions: readonly ProtocolEvent[][]) {
  return transactions
    .flatMap((events, transaction) => events.map((event) => ({ event, transaction })))
    .map(({ event, transaction }, logIndex) => logAt(at, logIndex, event, { transaction }));
}

/**
 * Day 1 in two pages, then two transactions in one block: another keeper closes the empty day 2 and day 3, then day 4
 * begins.
 */
async function storeThreeDays() {
  const scope = newScope();
  const pages = [
    [payment(1, 5), payment(1, 4), call(1, false)],
    [payment(1, 3), failure(), payment(1, 2), call(1, true)],
  ];
  const later = [
    [call(2, true, OTHER_KEEPER), payment(3, 1), call(3, true, OTHER_KEEPER)],
    [payment(4, 9), payment(4, 8), call(4, false)],
  ];
  await storeBlocks(database, scope, {
    after: null,
    blocks: [block(1), block(2), block(3)],
    logs: [...logsOf(block(1), pages.slice(0, 1)), ...logsOf(block(2), pages.slice(1)), ...logsOf(block(3), later)],
  });
  return scope;
}

async function remits(scope: ReturnType<typeof newScope>, filters: RemitFilters, page = {}): Promise<RemitPage> {
  const answer = await listRemits(database, scope, filters, { first: 10, skip: 0, atBlock: null, ...page });
  if (typeof answer === "string") throw new Error(answer);
  return answer.value;
}

async function pageBreak(scope: ReturnType<typeof newScope>): Promise<PageBreak | null> {
  const answer = await readPageBreak(database, scope);
  if (typeof answer === "string") throw new Error(answer);
  return answer.value;
}

test("a remit is one entry for each transaction, newest first, with the days it closed, its payments and its failures", async () => {
  const scope = await storeThreeDays();
  const { remits: found, total } = await remits(scope, {});
  expect(total).toBe(4);
  expect(found.map(({ keeper, closedDays, payments, failures }) => [keeper, closedDays, payments, failures])).toEqual([
    [KEEPER, [], 2, 0],
    [OTHER_KEEPER, [2, 3], 1, 0],
    [KEEPER, [1], 2, 1],
    [KEEPER, [], 2, 0],
  ]);
  expect(found[1]).toMatchObject({ blockNumber: 3, timestamp: TIMESTAMP + 2, transactionHash: hex(300, 32) });
});

test("remits are listed by keeper, by time, by page and as of a block", async () => {
  const scope = await storeThreeDays();
  const blocks = async (filters: RemitFilters, page = {}) => {
    const { remits: found, total } = await remits(scope, filters, page);
    return [found.map(({ blockNumber }) => blockNumber), total];
  };
  expect(await blocks({ keeper: OTHER_KEEPER })).toEqual([[3], 1]);
  expect(await blocks({ fromTimestamp: TIMESTAMP + 3 })).toEqual([[3, 3], 2]);
  expect(await blocks({ toTimestamp: TIMESTAMP + 1 })).toEqual([[2, 1], 2]);
  expect(await blocks({}, { first: 1, skip: 2 })).toEqual([[2], 4]);
  expect(await blocks({}, { atBlock: 1 })).toEqual([[1], 1]);
});

test("the page break is the last payment before the latest remit() stopped", async () => {
  const scope = await storeThreeDays();
  const lastPayment = { id: ID, frequency: 1, subscriberIndex: 8n, subscriptionIndex: 3n };
  expect(await pageBreak(scope)).toEqual({ dayNumber: 4, lastPayment });
});

test("there is no page break before the first remit(), and none after one that closed its day", async () => {
  const scope = await storeThreeDays();
  await rewindLogs(database, scope, block(2));
  expect(await pageBreak(scope)).toBeNull();
  const empty = newScope();
  await storeBlocks(database, empty, { after: null, blocks: [block(1)], logs: [] });
  expect(await pageBreak(empty)).toBeNull();
});

test("a page that handled no payment breaks without a last payment", async () => {
  const scope = newScope();
  const logs = logsOf(block(1), [[payment(1, 1), call(1, true)], [call(2, false)]]);
  await storeBlocks(database, scope, { after: null, blocks: [block(1)], logs });
  expect(await pageBreak(scope)).toEqual({ dayNumber: 2, lastPayment: null });
});
