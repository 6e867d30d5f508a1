import { afterAll, describe, expect, test } from "bun:test";
import { openEvents } from "@dueday/api/test/openEvents";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { ensureProgram, programs } from "@dueday/test-support/ensureProgram";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startProxy } from "./startProxy";

const program = process.platform === "linux" ? ensureProgram(programs.nginx) : null;
if (process.platform !== "linux")
  console.warn("skipped: event streams behind the proxy of compose.yaml: it needs Linux");
const CONTRACT = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";

describe.if(program !== null)("an event stream behind the proxy of compose.yaml", async () => {
  const database = await createTestDatabase();
  const api = await startTestApi({ database, rpcUrl: "http://127.0.0.1:1", contract: CONTRACT, beatMs: 100 });
  const { port, hostname } = new URL(api.url);
  const proxy = await startProxy({ program: program ?? "", addresses: [hostname], port: Number(port) });
  afterAll(async () => {
    await proxy.stop();
    await api.stop();
  });

  test("has its opening, comments and events at once, and ends when the API stops", async () => {
    const reader = await openEvents(proxy);
    expect(reader.status).toBe(200);
    await waitUntil("the opening and a comment", () => reader.retry === 2_000 && reader.comments > 0);
    const scope = { chainId: TEST_CHAIN_ID, contract: CONTRACT };
    for (const first of [1, 2, 3]) {
      await appendTestEvents(database.database, scope, { first, count: 1 });
      await waitUntil(`event ${first}`, () => reader.events.length === first);
    }
    const closing = await openEvents(proxy);
    closing.close();
    await Promise.all([api.stop(), reader.ended]);
    expect(reader.events.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  });
});
