import { expect, test } from "bun:test";
import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { IndexedBlock } from "@dueday/db/eventIndex/indexedLog";
import { block, hex, logAt, newScope, storeBlocks } from "@dueday/db/test/smallIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { listRemits, type RemitFilters, type RemitPage } from "./listRemits";
import { rankKeepers } from "./rankKeepers";

const { database } = await createTestDatabase();
const ID = hex(1, 32);
const [KEEPER, OTHER_KEEPER, PROVIDER] = [hex(11, 20), hex(12, 20), hex(13, 20)];
const TIMESTAMP = 1_770_000_000;

function payment(day: number, position: number): ProtocolEvent {
  return {
    event: "Coordinates",
    id: ID,
    frequency: 1n,
    nextUncheckedDay: day,
    subscriberIndex: BigInt(position),
    subscriptionIndex: 3n,
  };
}

function failure(): ProtocolEvent {
  return {
    event: "SubLog",
    id: ID,
    provider: PROVIDER,
    subscriber: hex(20, 20),
    token: hex(7, 20),
    timestamp: TIMESTAMP,
    amount: 0n,
    code: subLogCode.Failed,
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
  await addReceipts(scope);
  return scope;
}

/** Receipts of all stored remits: one fee of 30 units each, gas 100 and a cost of 700 wei for each block number. */
async function addReceipts({ chainId, contract }: ReturnType<typeof newScope>): Promise<void> {
  await database.sql`insert into receipts select chain_id, contract, block_number, transaction_hash, 100, 700 * block_number
    from remits where chain_id = ${chainId} and contract = ${contract}`;
  await database.sql`insert into keeper_fees
    select chain_id, contract, block_number, transaction_hash, decode(repeat('00', 19) || '07', 'hex'), 30
    from remits where chain_id = ${chainId} and contract = ${contract}`;
}

async function remits(scope: ReturnType<typeof newScope>, filters: RemitFilters, page = {}): Promise<RemitPage> {
  const answer = await listRemits(database, scope, filters, { first: 10, ...page });
  if (typeof answer === "string") throw new Error(answer);
  return answer.value;
}

async function ranking(scope: ReturnType<typeof newScope>, page: { days: number; first: number; skip?: number }) {
  const answer = await rankKeepers(database, scope, { skip: 0, ...page });
  if (typeof answer === "string") throw new Error(answer);
  return answer.value;
}

test("a remit is one entry for each transaction, newest first, with its days, payments, failures, lag, fees and gas", async () => {
  const { remits: found, hasMore } = await remits(await storeThreeDays(), {});
  expect(hasMore).toBe(false);
  expect(found.map(({ keeper, closedDays, payments, failures }) => [keeper, closedDays, payments, failures])).toEqual([
    [KEEPER, [], 2, 0],
    [OTHER_KEEPER, [2, 3], 1, 0],
    [KEEPER, [1], 2, 1],
    [KEEPER, [], 2, 0],
  ]);
  expect(found[1]).toMatchObject({
    blockNumber: 3,
    timestamp: TIMESTAMP + 3,
    transactionHash: hex(300, 32),
    gasUsed: 100n,
    costWei: 2_100n,
    callerFees: [{ token: { symbol: "USDC", decimals: 6 }, units: 30n }],
    lagSeconds: TIMESTAMP + 3 - 3 * 86_400,
  });
});

test("remits are listed by keeper, by time and by page; a remit that comes later shifts no page", async () => {
  const scope = await storeThreeDays();
  const blocks = async (filters: RemitFilters, page = {}) => {
    const { remits: found, hasMore } = await remits(scope, filters, page);
    return [found.map(({ blockNumber }) => blockNumber), hasMore];
  };
  expect(await blocks({ keeper: OTHER_KEEPER })).toEqual([[3], false]);
  expect(await blocks({ fromTimestamp: TIMESTAMP + 3 })).toEqual([[3, 3], false]);
  expect(await blocks({ toTimestamp: TIMESTAMP + 1 })).toEqual([[2, 1], false]);
  expect(await blocks({ fromTimestamp: TIMESTAMP + 99 })).toEqual([[], false]);
  const page = await remits(scope, {}, { first: 2 });
  expect(page.hasMore).toBe(true);
  await storeBlocks(database, scope, {
    after: block(3),
    blocks: [block(4)],
    logs: logsOf(block(4), [[payment(4, 7), call(4, true)]]),
  });
  expect(await blocks({}, { first: 10, after: page.remits.at(-1) })).toEqual([[2, 1], false]);
  expect(await blocks({ keeper: KEEPER }, { first: 1, after: page.remits.at(-1) })).toEqual([[2], true]);
});

test("keepers are ranked by payments, with sums of what they settled, received and paid", async () => {
  const scope = await storeThreeDays();
  const { keepers, total, payments } = await ranking(scope, { days: 30, first: 10 });
  expect([total, payments]).toEqual([2, 7]);
  expect(keepers).toMatchObject([
    {
      keeper: KEEPER,
      remits: 3,
      payments: 6,
      failures: 1,
      costWei: 4_200n,
      callerFees: [{ units: 90n }],
      medianLagSeconds: TIMESTAMP - 86_400 + 1,
    },
    { keeper: OTHER_KEEPER, remits: 1, payments: 1, failures: 0, costWei: 2_100n, callerFees: [{ units: 30n }] },
  ]);
  const top = await ranking(scope, { days: 30, first: 1 });
  expect(top).toEqual({ keepers: keepers.slice(0, 1), total: 2, payments: 7 });
  const next = await ranking(scope, { days: 30, first: 1, skip: 1 });
  expect(next).toEqual({ keepers: keepers.slice(1), total: 2, payments: 7 });
  expect(await ranking(scope, { days: 30, first: 1, skip: 2 })).toEqual({ keepers: [], total: 2, payments: 7 });
});

test("a keeper of whose transactions one lacks its receipt is an error, and not ranked with too low a cost", async () => {
  const scope = await storeThreeDays();
  await database.sql`delete from receipts where chain_id = ${scope.chainId} and block_number = 2`;
  await expect(ranking(scope, { days: 30, first: 10 })).rejects.toThrow("lacks a receipt of a keeper");
});
