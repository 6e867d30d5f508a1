import { expect, test } from "bun:test";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { DatabaseError } from "@dueday/db/databaseError";
import { listActiveSubscribers } from "@dueday/db/queries/listActiveSubscribers";
import { toServiceError } from "./execute";

test("a database that does not answer is 503 to a client, and nothing of its address is told", async () => {
  const database = connectDatabase({ url: "postgres://somebody:secret@127.0.0.1:9/away", deadlineMs: 2_000 });
  const page = { chainId: 1, contract: "0x", subscriptionId: "0x", first: 1, skip: 0 } as const;
  const error = await listActiveSubscribers(database, page).catch(toServiceError);
  expect(error).toMatchObject({
    code: "UPSTREAM_UNAVAILABLE",
    status: 503,
    details: { action: "list active subscribers" },
  });
  expect(JSON.stringify(error)).not.toMatch(/secret|127\.0\.0\.1/);
  await database.close();
});

test("a statement that the database refuses is a bug of ours", () => {
  expect(toServiceError(new DatabaseError("read", "42703"))).toMatchObject({ code: "INTERNAL", status: 500 });
});
