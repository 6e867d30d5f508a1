import { expect, test } from "bun:test";
import { keepPermit, permitContract, permitToken } from "@dueday/db/test/keepPermit";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { listPermits } from "./listPermits";
import { endPermits } from "./storePermit";

const { database } = await createTestDatabase();
const asked = { chainId: 1, contract: permitContract, token: permitToken, owners: null };

test("the count is that of the list of which the page is a part, while other requests end its permits", async () => {
  for (let owner = 1; owner <= 60; owner++) {
    const id = await keepPermit(database, { owner });
    const pages = Array.from({ length: 3 }, () => listPermits(database, asked, { first: 10, skip: 0 }));
    await endPermits(database, [id], "dropped");
    for (const { permits, count } of await Promise.all(pages)) expect(count).toBe(permits.length);
  }
});

test("a page beyond the end has the count of the whole list", async () => {
  await keepPermit(database, { owner: 61 });
  const beyond = await listPermits(database, asked, { first: 10, skip: 5 });
  expect(beyond).toEqual({ permits: [], count: 1, hasMore: false });
});
