import { expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { readUnprovenRanges, recordProven, recordUnproven } from "./unprovenRanges";

const { database } = await createTestDatabase();
const contract = "0x00000000000000000000000000000000000000cc";

test("neighbouring and overlapping blocks share one row, others have their own", async () => {
  const scope = { chainId: 1, contract };
  for (const [from, to] of [
    [10, 19],
    [20, 29],
    [25, 40],
    [50, 59],
  ] as const)
    await recordUnproven(database, scope, { from, to });
  expect(await readUnprovenRanges(database, scope)).toEqual([
    { from: 10, to: 40 },
    { from: 50, to: 59 },
  ]);
});

test("the marks of blocks that were compared are removed, part by part", async () => {
  const scope = { chainId: 2, contract };
  await recordUnproven(database, scope, { from: 10, to: 40 });
  await recordProven(database, scope, { from: 10, to: 25 });
  expect(await readUnprovenRanges(database, scope)).toEqual([{ from: 26, to: 40 }]);
  await recordProven(database, scope, { from: 26, to: 40 });
  expect(await readUnprovenRanges(database, scope)).toEqual([]);
});
