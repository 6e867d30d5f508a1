import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createRegistry } from "@dueday/metrics/createRegistry";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";

const registry = createRegistry();
const api = await startTestApi({
  database: await createTestDatabase(),
  rpcUrl: "http://127.0.0.1:1",
  contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
  registry,
});
const port = Number(new URL(api.url).port);

afterAll(() => api.stop());

const CHUNKED = "Transfer-Encoding: chunked";
const DECLARED = "Content-Length: 1000";

describe("a client that ends its connection during an upload", () => {
  test.each([
    ["/prepare/remit", DECLARED],
    ["/prepare/remit", CHUNKED],
    ["/mcp", DECLARED],
    ["/mcp", CHUNKED],
  ])("to %s (%s) is logged and counted with status 499, not as an error of the service", async (path, length) => {
    const logged = api.requestLog().length;
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(head(path, length));
    // The server waits for the rest of the body: it has read the head.
    await waitUntil("the connection", () => socket.bytesWritten > 0 && !socket.connecting);
    await Bun.sleep(50);
    socket.destroy();
    await waitUntil("the line of the request", () => api.requestLog().length > logged);
    const { level, status, code } = api.requestLog().at(-1) ?? {};
    expect({ level, status, code }).toEqual({ level: "info", status: 499, code: undefined });
  });

  test("does not count in what the alert about bugs reads", async () => {
    const metrics = await registry.metrics();
    expect(metrics).toMatch(/dueday_request_seconds_count\{.*status="499".*\} [1-9]/);
    expect(metrics).not.toContain('status="500"');
    const rules = await Bun.file(`${import.meta.dir}/../../../../ops/alerts.yaml`).text();
    expect(rules).toContain('dueday_request_seconds_count{status="500"}');
  });
});

describe("a refusal", () => {
  test.each([
    ["of a path that does not exist", "/nothing", "Content-Length: 1048577"],
    ["of a body that is declared too large", "/prepare/remit", "Content-Length: 10000000000"],
    ["of a body of another type", "/prepare/remit", "Content-Encoding: gzip\r\nContent-Length: 10000000"],
    ["of a chunked body that is not read", "/nothing", CHUNKED],
  ])("%s leaves the body unread, and closes the connection", async (_of, path, length) => {
    const { closed, text } = await answerTo(head(path, length));
    expect(closed).toBe(true);
    expect(text).toMatch(CLOSES);
  });

  test("of a chunked body that grows too large closes the connection", async () => {
    const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
    const { closed, text } = await answerTo(head("/prepare/remit", CHUNKED) + chunk + chunk);
    expect(text).toStartWith("HTTP/1.1 413");
    expect(text).toMatch(CLOSES);
    expect(closed).toBe(true);
  });

  test("of a body that was read, of one that the server discards, or without a body, keeps the connection", async () => {
    const read = await answerTo(`${head("/prepare/remit", "Content-Length: 2")}[]`);
    expect(read.text).toStartWith("HTTP/1.1 400");
    const discarded = await answerTo(head("/nothing", "Content-Length: 1048576") + " ".repeat(1024 * 1024));
    expect(discarded.text).toStartWith("HTTP/1.1 404");
    const without = await answerTo("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(without.text).toStartWith("HTTP/1.1 404");
    for (const { closed, text } of [read, discarded, without]) {
      expect(closed).toBe(false);
      expect(text).not.toMatch(CLOSES);
    }
  });
});

const CLOSES = /^connection: close\r$/im;

function head(path: string, length: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
}

/** What the server answers, and whether it closes the connection: one that stays silent for a quarter of a second is kept. */
async function answerTo(sent: string): Promise<{ text: string; closed: boolean }> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  let closed = false;
  socket.on("data", (data) => {
    text += data.toString();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
  });
  socket.write(sent);
  await waitUntil("an answer", () => closed || text.includes("\r\n\r\n"));
  for (let waited = 0; waited < 250 && !closed; waited += 10) await Bun.sleep(10);
  socket.destroy();
  return { text, closed };
}
