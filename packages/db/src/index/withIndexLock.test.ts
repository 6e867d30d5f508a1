import { expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { connectDatabase } from "../connectDatabase";
import { withIndexLock } from "./withIndexLock";

const scope = { chainId: 1, contract: "0x00000000000000000000000000000000000000cc" };

test("a connection that comes after the deadline goes back to the pool", async () => {
  const { url } = await createTestDatabase();
  const database = connectDatabase({ url, poolSize: 1, deadlineMs: 3_000 });
  const held = await database.sql.reserve();
  await expect(withIndexLock(database, scope, async () => "done")).rejects.toMatchObject({ code: "DEADLINE" });
  held.release();
  expect(await withIndexLock(database, { ...scope, chainId: 2 }, async () => "done")).toBe("done");
  await database.close();
});
