import { expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { nextIdentityKey } from "../nextIdentityKey";
import { rotateIdentityKey } from "./rotateIdentityKey";

const { database } = await createTestDatabase();

test("all processes get the same key, which follows from yesterday's; a process whose clock is behind gets the newer one", async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, () => rotateIdentityKey(database, 20_000)));
  const [first] = keys;
  if (first === undefined) throw new Error("no key");
  expect(keys).toEqual(Array(5).fill(first));
  const dayAfter = nextIdentityKey(nextIdentityKey(first));
  expect(await rotateIdentityKey(database, 20_002)).toEqual(dayAfter);
  expect(await rotateIdentityKey(database, 20_001)).toEqual(dayAfter);
});
