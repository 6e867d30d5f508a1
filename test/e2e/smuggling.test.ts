import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { freePort } from "@dueday/db/embedded/freePort";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { ensureProgram, programs } from "@dueday/test-support/ensureProgram";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type RunningProxy, startProxy } from "./startProxy";

/** Of the API, where the proxy leads. */
const ADDRESS = "127.0.0.6";
const program = process.platform === "linux" ? ensureProgram(programs.nginx) : null;
if (process.platform !== "linux") console.warn("skipped: smuggling through the proxy of compose.yaml: it needs Linux");

const HIDDEN = "GET /portal/usage HTTP/1.1\r\nHost: localhost\r\n\r\n";
const post = (headers: string, body: string) =>
  `POST /portal/challenge HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
const hiddenLength = HIDDEN.length;
const chunked = `0\r\n\r\n${HIDDEN}`;

/** Requests that a proxy and a server may cut apart in different places. */
const ambiguous: [name: string, bytes: string][] = [
  ["a length and chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked", chunked)],
  [
    "a length that holds everything, and chunks",
    post(`Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked`, chunked),
  ],
  [
    "an encoding that is not chunked",
    post(`Transfer-Encoding: xchunked\r\nContent-Length: ${chunked.length}`, chunked),
  ],
  ["an encoding after a space", post(`Transfer-Encoding : chunked\r\nContent-Length: ${chunked.length}`, chunked)],
  ["an encoding after a tab", post(`Transfer-Encoding:\tchunked\r\nContent-Length: ${chunked.length}`, chunked)],
  [
    "an encoding after a vertical tab",
    post(`Transfer-Encoding: \u000bchunked\r\nContent-Length: ${chunked.length}`, chunked),
  ],
  ["two encodings", post(`Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\nContent-Length: 5`, chunked)],
  ["a list of encodings", post("Transfer-Encoding: identity, chunked", chunked)],
  ["a folded encoding", post(`Transfer-Encoding:\r\n chunked\r\nContent-Length: ${chunked.length}`, chunked)],
  [
    "an encoding behind a bare line feed",
    post(`X: a\nTransfer-Encoding: chunked\r\nContent-Length: ${chunked.length}`, chunked),
  ],
  [
    "an encoding behind a bare carriage return",
    post(`X: a\rTransfer-Encoding: chunked\r\nContent-Length: ${chunked.length}`, chunked),
  ],
  ["two lengths", post(`Content-Length: 2\r\nContent-Length: ${2 + hiddenLength}`, `{}${HIDDEN}`)],
  ["a length with a sign", post("Content-Length: +2", `{}${HIDDEN}`)],
  ["a length in hex", post("Content-Length: 0x2", `{}${HIDDEN}`)],
  ["a list of lengths", post(`Content-Length: 2, ${2 + hiddenLength}`, `{}${HIDDEN}`)],
  ["a chunk of a length that overflows", post("Transfer-Encoding: chunked", `10000000000000002\r\n{}\r\n${chunked}`)],
  ["a chunk's extension with a bare line feed", post("Transfer-Encoding: chunked", `2;a\n{}\r\n${chunked}`)],
  ["a chunk that is longer than its length", post("Transfer-Encoding: chunked", `1\r\n{}\r\n${chunked}`)],
  [
    "trailers that are headers",
    post("Transfer-Encoding: chunked", `2\r\n{}\r\n0\r\nContent-Length: ${hiddenLength}\r\n\r\n${HIDDEN}`),
  ],
  [
    "chunks in HTTP/1.0",
    post("Transfer-Encoding: chunked\r\nConnection: keep-alive", chunked).replace("HTTP/1.1", "HTTP/1.0"),
  ],
  ["a body of a GET", `GET /catalog HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${hiddenLength}\r\n\r\n${HIDDEN}`],
  ["a NUL in a header", post(`X: a\0b\r\nContent-Length: 2`, `{}${HIDDEN}`)],
  [
    "a request that asks for another protocol",
    `GET /catalog HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n\r\n${HIDDEN}`,
  ],
  [
    "a header that names headers to drop",
    post("Connection: close, Content-Length\r\nContent-Length: 2", `{}${HIDDEN}`),
  ],
];

describe.if(program !== null)("behind the proxy of compose.yaml", () => {
  let api: TestApi;
  let proxy: RunningProxy;

  beforeAll(async () => {
    const port = await freePort();
    api = await startTestApi({
      database: await createTestDatabase(),
      rpcUrl: "http://127.0.0.1:1",
      contract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
      env: { HOST: ADDRESS, PORT: String(port) },
    });
    proxy = await startProxy({ program: program ?? "", addresses: [ADDRESS], port });
  });
  afterAll(async () => {
    await proxy?.stop();
    await api?.stop();
  });

  const requestsOfApi = () =>
    api
      .logText()
      .split("\n")
      .filter((line) => line.includes('"msg":"request"')).length;
  const requestsOfProxy = async () =>
    (await proxy.log()).split("\n").filter((line) => /" \d{3} |"status":/.test(line)).length;

  /** Requests that each has logged. nginx logs a request after it has answered it: all before this last one are then in its log. */
  async function count(): Promise<{ byApi: number; byProxy: number }> {
    const answer = await fetch(`${proxy.url}/catalog`);
    const id = answer.headers.get("x-request-id") ?? "";
    expect(id).not.toBe("");
    await answer.text();
    await waitUntil("the proxy has logged its last request", async () => (await proxy.log()).includes(id));
    return { byApi: requestsOfApi(), byProxy: await requestsOfProxy() };
  }

  test("a request that follows another is one that both have seen", async () => {
    const before = await count();
    await send(`GET /catalog HTTP/1.1\r\nHost: localhost\r\n\r\n${HIDDEN}`, proxy.url);
    const after = await count();
    // With the last request of the count.
    expect([after.byApi - before.byApi, after.byProxy - before.byProxy]).toEqual([3, 3]);
  });

  test.each(ambiguous)("no request reaches the API that the proxy did not see: %s", async (_name, bytes) => {
    const before = await count();
    const answers = await send(bytes, proxy.url);
    expect(answers).toMatch(/^HTTP\/1\.1 \d{3} |^$/);
    const after = await count();
    expect(after.byApi - before.byApi).toBeLessThanOrEqual(after.byProxy - before.byProxy);
    // A connection to the API that is out of step would show in the next answers.
    for (let count = 0; count < 3; count++) expect((await fetch(`${proxy.url}/catalog`)).status).toBe(200);
  });
});

/** Sends bytes, and returns what comes back until the other side closes or is silent for a while. */
async function send(bytes: string, url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname, () => socket.write(bytes, "latin1"));
  socket.setTimeout(1_000, () => socket.destroy());
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => resolve());
  await promise;
  return text;
}
