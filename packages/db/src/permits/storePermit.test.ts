import { expect, test } from "bun:test";
import { permitContract as contract, keepPermit } from "@dueday/db/test/keepPermit";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { findPermit } from "./storePermit";

const { database } = await createTestDatabase();

test("a permit that is kept removes expired ones of its chain, and none of a chain whose time is earlier", async () => {
  const [here, there] = [
    await keepPermit(database, { owner: 11 }),
    await keepPermit(database, { chainId: 2, owner: 12 }),
  ];
  await keepPermit(database, { owner: 13, deadline: 400n, at: 300n });
  expect(await findPermit(database, { chainId: 1, contract, id: here })).toBe(null);
  expect(await findPermit(database, { chainId: 2, contract, id: there })).toMatchObject({ id: there, deadline: 200n });
});
