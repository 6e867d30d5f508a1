import { expect, test } from "bun:test";
import { hex, newScope, rewindTo, storeBlocks } from "@dueday/db/test/smallIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { confirmCheckpoint, recordHead } from "../indexing/readCheckpoint";
import type { ContractScope } from "../schema/columns";
import type { IndexScope } from "./coveredHead";
import type { IndexedBlock } from "./indexedLog";
import { readIndex } from "./readIndex";

const { database } = await createTestDatabase();

/** Blocks of a chain with five a second, of which one a minute is known. */
const BLOCKS_OF_A_MINUTE = 300;
const START_TIME = 1_795_000_020;

function minuteBlock(minute: number, fork = 0): IndexedBlock {
  const number = 1_000 + minute * BLOCKS_OF_A_MINUTE;
  return { number, hash: hex(number * 10 + fork, 32), timestamp: START_TIME + minute * 60 };
}

/** An index that was stored once a minute without events, as on an idle chain. */
async function idleIndex(minutes: number): Promise<ContractScope> {
  const scope = newScope();
  await storeBlocks(database, scope, { after: null, blocks: [minuteBlock(0)], logs: [] });
  for (let minute = 1; minute <= minutes; minute++) {
    await storeBlocks(database, scope, { after: minuteBlock(minute - 1), blocks: [minuteBlock(minute)], logs: [] });
  }
  return scope;
}

/** The hash of a block that answers are given for; null where it is not stored. */
async function stateAt(scope: IndexScope, number: number | null) {
  const found = await readIndex(database, scope, number, async () => null);
  return typeof found === "string" ? found : found.state.block;
}

test("a block of the last two hours is answered for at any height, one that is older than the stored hashes is not", async () => {
  const scope = await idleIndex(160);
  const head = minuteBlock(160);
  expect(await stateAt(scope, null)).toEqual(head);
  expect(await stateAt(scope, head.number)).toEqual(head);
  expect(await stateAt(scope, minuteBlock(40).number)).toEqual(minuteBlock(40));
  const between = minuteBlock(40).number + 7;
  expect(await stateAt(scope, between)).toEqual({ number: between, hash: null, timestamp: null });
  expect(await stateAt(scope, minuteBlock(5).number)).toBe("unknown_block");
  expect(await stateAt(scope, head.number + 1)).toBe("unknown_block");
});

test("the checkpoint and an announced head have the milliseconds that the node showed, also after a rewind", async () => {
  const scope = await idleIndex(2);
  const [shown, later] = [minuteBlock(3), minuteBlock(4)].map((block, index) => ({
    ...block,
    timestampMs: block.timestamp * 1_000 + 200 * (index + 1),
  })) as [IndexedBlock, IndexedBlock]; // two from two
  await storeBlocks(database, scope, { after: minuteBlock(2), blocks: [shown], logs: [] });
  expect(await stateAt(scope, null)).toEqual(shown);
  const covered = () => ({
    checkpoint: shown.hash,
    head: later,
    confirmedAt: new Date(),
    blockAt: () => undefined,
  });
  expect(await stateAt({ ...scope, covered }, null)).toEqual(later);
  await storeBlocks(database, scope, { after: shown, blocks: [minuteBlock(4)], logs: [] });
  expect(await stateAt(scope, null)).toEqual(minuteBlock(4));
  await rewindTo(database, scope, shown);
  expect(await stateAt(scope, null)).toEqual(shown);
});

test("a stored hash stands before what is announced for its height, which stands in where none is stored", async () => {
  const scope = await idleIndex(10);
  const head = minuteBlock(10);
  const other = (number: number): IndexedBlock => ({ number, hash: hex(7, 32), timestamp: START_TIME });
  const covered = () => ({ checkpoint: head.hash, head, confirmedAt: new Date(), blockAt: other });
  const announced = { ...scope, covered };
  expect(await stateAt(announced, minuteBlock(8).number)).toEqual(minuteBlock(8));
  expect(await stateAt(announced, minuteBlock(8).number + 1)).toEqual(other(minuteBlock(8).number + 1));
});

test("a height that a reorganisation has replaced is refused, also when it has a block again, and the others are not", async () => {
  const scope = await idleIndex(10);
  await rewindTo(database, scope, minuteBlock(8));
  await storeBlocks(database, scope, { after: minuteBlock(8), blocks: [minuteBlock(12, 1)], logs: [] });
  expect(await stateAt(scope, minuteBlock(8).number)).toEqual(minuteBlock(8));
  expect(await stateAt(scope, minuteBlock(8).number + 1)).toBe("unknown_block");
  expect(await stateAt(scope, minuteBlock(10).number)).toBe("unknown_block");
  expect(await stateAt(scope, minuteBlock(10).number + 1)).toMatchObject({ number: minuteBlock(10).number + 1 });
  expect(await stateAt(scope, minuteBlock(12).number)).toEqual(minuteBlock(12, 1));
});

test("an index whose checkpoint is confirmed to be the head is not behind a head that was seen before and is gone", async () => {
  const scope = await idleIndex(1);
  const behind = async () => {
    const found = await readIndex(database, scope, null, async () => null);
    return typeof found === "string" ? found : found.state.behindSeconds;
  };
  await recordHead(database, scope, minuteBlock(9));
  expect(await behind()).toBe(480);
  await confirmCheckpoint(database, scope, { hash: minuteBlock(1).hash, confirmedAt: new Date() });
  expect(await behind()).toBe(0);
});

test("hours without events add no row, and each minute is one update of one row", async () => {
  const scope = await idleIndex(3);
  const { chainId } = scope;
  const size = async () => (await database.sql`select from block_hashes where chain_id = ${chainId}`).count;
  const before = await size();
  for (let minute = 4; minute <= 200; minute++) {
    await storeBlocks(database, scope, { after: minuteBlock(minute - 1), blocks: [minuteBlock(minute)], logs: [] });
  }
  expect(await size()).toBe(before);
});
