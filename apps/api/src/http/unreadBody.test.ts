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
    expect(await closingAnswerTo(head(path, length))).toMatch(CLOSES);
  });

  test("of a chunked body that grows too large closes the connection", async () => {
    const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
    const text = await closingAnswerTo(head("/prepare/remit", CHUNKED) + chunk + chunk);
    expect(text).toStartWith("HTTP/1.1 413");
    expect(text).toMatch(CLOSES);
  });

  test("of a body that was read, of one that the server discards, or without a body, keeps the connection", async () => {
    const refusals = [
      ["400", `${head("/prepare/remit", "Content-Length: 2")}[]`],
      ["404", head("/nothing", "Content-Length: 1048576") + " ".repeat(1024 * 1024)],
      ["404", WITHOUT_BODY],
    ] as const;
    for (const [status, request] of refusals) {
      const client = open();
      client.socket.write(request);
      await waitUntil("the refusal", () => client.answers() === 1);
      expect(client.text()).toStartWith(`HTTP/1.1 ${status}`);
      // The same connection serves another request.
      client.socket.write(WITHOUT_BODY);
      await waitUntil("another answer, or the end", () => client.answers() === 2 || client.isClosed());
      expect(client.isClosed()).toBe(false);
      expect(client.text()).not.toMatch(CLOSES);
      client.socket.destroy();
    }
  });
});

const WITHOUT_BODY = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
const CLOSES = /^connection: close\r$/im;

function head(path: string, length: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
}

/** A connection, and what the server has sent on it. */
function open() {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  let isClosed = false;
  socket.on("data", (data) => {
    text += data.toString();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
  });
  return { socket, text: () => text, answers: () => text.split("HTTP/1.1 ").length - 1, isClosed: () => isClosed };
}

/** What the server answers before it closes the connection. */
async function closingAnswerTo(sent: string): Promise<string> {
  const { socket, text, isClosed } = open();
  socket.write(sent);
  await waitUntil("the server to close the connection", isClosed);
  return text();
}
