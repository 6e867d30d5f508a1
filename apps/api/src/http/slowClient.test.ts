import { expect, test } from "bun:test";
import { connect } from "node:net";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

const database = await createTestDatabase();

test("a client that sends its request a little at a time, and never to the end, is disconnected", async () => {
  const api = await startTestApi({
    database,
    rpcUrl: "http://127.0.0.1:1",
    contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
  });
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  socket.write("GET /catalog HTTP/1.1\r\nHost: localhost\r\n");
  const drip = setInterval(() => socket.write("X-More: 1\r\n"), 200);
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => resolve("closed"));
    // A write into a connection that was closed meanwhile: "close" follows.
    socket.on("error", () => {});
  });
  expect(await closed).toBe("closed");
  clearInterval(drip);
  await api.stop();
});
