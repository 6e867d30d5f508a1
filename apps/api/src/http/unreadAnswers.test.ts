import { afterAll, afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { BEHIND_PROXY, callApi, someAddress } from "@dueday/api/test/callApi";
import { postMcp } from "@dueday/api/test/connectMcp";
import { createTestExchange } from "@dueday/api/test/createTestExchange";
import { largeAnswer } from "@dueday/api/test/largeAnswer";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { ServiceError } from "@dueday/core/errors";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { unreadAnswers } from "../limits/policy";
import { createUnreadAnswers } from "./unreadAnswers";

/** More than the sockets of both sides buffer on one machine, so that a part of it stays with the server. */
const LARGE = "/large?kilobytes=7168";

const api = await startTestApi({
  database: await createTestDatabase(),
  rpcUrl: "http://127.0.0.1:1",
  contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
  operations: [largeAnswer],
  env: BEHIND_PROXY,
});
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => api.stop());

/** Requests an answer and reads only its beginning. */
async function requestAndStall(url: string, path: string, from: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on("error", () => {});
  const begun = Promise.withResolvers<string>();
  socket.once("data", (chunk) => {
    socket.pause();
    begun.resolve(chunk.toString());
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${from}\r\n\r\n`);
  const status = Number((await begun.promise).split(" ")[1]);
  return { socket, status };
}

test("an address with as many unread bytes as one may have gets no further large answer until it has read them", async () => {
  const from = someAddress();
  const { socket, status } = await requestAndStall(api.url, LARGE, from);
  expect(status).toBe(200);
  const refused = await callApi(api, LARGE, { from });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  expect(refused.body).toMatchObject({
    code: "RATE_LIMITED",
    lane: "free",
    bucket: "unreadAnswersPerAddress",
    limit: unreadAnswers.maxBytesPerAddress,
  });
  // Small answers to the same address, and any answer to another one, go on.
  expect((await callApi(api, "/large?kilobytes=1", { from })).status).toBe(200);
  expect((await callApi(api, LARGE, { from: someAddress() })).status).toBe(200);
  socket.resume();
  await waitUntil("there is room again", async () => (await callApi(api, LARGE, { from })).status === 200);
});

test.each([
  ["page", LARGE, "text/html"],
  ["calendar", LARGE.replace("?", ".ics?"), "text/calendar"],
])("a %s counts as JSON does", async (_form, path, Accept) => {
  const from = someAddress();
  await requestAndStall(api.url, LARGE, from);
  const refused = await callApi(api, path, { headers: { Accept }, from });
  expect([refused.status, refused.body.bucket]).toEqual([429, "unreadAnswersPerAddress"]);
});

test("all clients together have a bound, and the answers unread for longest are cut off to make room", async () => {
  let sent = 0;
  while ((await requestAndStall(api.url, LARGE, someAddress())).status === 200) sent += 1;
  expect(sent).toBe(Math.floor(unreadAnswers.maxBytes / (7168 * 1024)));
  await waitUntil("there is room again", async () => {
    return (await callApi(api, LARGE, { from: someAddress() })).status === 200;
  });
});

test("an answer that has been read, and one to a client that has left, no longer count", async () => {
  const from = someAddress();
  for (let each = 0; each < 3; each += 1) expect((await callApi(api, LARGE, { from })).status).toBe(200);
  (await requestAndStall(api.url, LARGE, from)).socket.destroy();
  await waitUntil("there is room again", async () => (await callApi(api, LARGE, { from })).status === 200);
});

test("HEAD has the length of GET, without a body, and counts as no unread answer", async () => {
  const from = someAddress();
  await requestAndStall(api.url, LARGE, from);
  const head = await callApi(api, LARGE, { method: "HEAD", from });
  expect([head.status, head.text]).toEqual([200, ""]);
  expect(Number(head.headers.get("content-length"))).toBeGreaterThan(7168 * 1024);
  for (const path of ["/docs/scalar.js", "/openapi.json"]) {
    const length = (await callApi(api, path, { method: "HEAD" })).headers.get("content-length");
    expect(Number(length)).toBe(Buffer.byteLength((await callApi(api, path)).text));
  }
});

test("an MCP answer that does not fit is refused before it is built, under the id of its request", async () => {
  const from = someAddress();
  await requestAndStall(api.url, LARGE, from);
  const params = { name: "large_answer", arguments: { kilobytes: 800 } };
  const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params };
  const refused = await postMcp(api, call, { "X-Forwarded-For": from });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  expect(await refused.json()).toMatchObject({ id: 7, error: { data: { bucket: "unreadAnswersPerAddress" } } });
  expect((await postMcp(api, call, { "X-Forwarded-For": someAddress() })).status).toBe(200);
});

test("a client that reads nothing for the deadline is disconnected", async () => {
  const unread = createUnreadAnswers({ ...unreadAnswers, deadlineSeconds: 1 });
  const closed = Promise.withResolvers<string>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch(request, peers) {
      request.signal.addEventListener("abort", () => closed.resolve("disconnected"));
      const body = "x".repeat(unreadAnswers.maxBytesPerAddress);
      unread.hold(createTestExchange({ request, peers, client: "a", answerBytes: body.length }));
      return new Response(body);
    },
  });
  await requestAndStall(server.url.href, "/", someAddress());
  expect(await closed.promise).toBe("disconnected");
  await server.stop(true);
});

test("the bound is exact: what would pass it by a byte is refused", () => {
  const unread = createUnreadAnswers({ ...unreadAnswers, countedFromBytes: 1, maxBytesPerAddress: 10, maxBytes: 15 });
  const cutOff: string[] = [];
  const hold = (client: string, answerBytes: number) => {
    const peers = {
      requestIP: () => ({ address: "::1" }),
      timeout: (_: Request, s: number) => s === 1 && cutOff.push(client),
    };
    try {
      unread.hold(createTestExchange({ peers, client, answerBytes }));
      return "held";
    } catch (error) {
      return error instanceof ServiceError ? error.body?.bucket : error;
    }
  };
  expect([hold("a", 4), hold("a", 6), hold("a", 1)]).toEqual(["held", "held", "unreadAnswersPerAddress"]);
  // One byte is needed: only the oldest answer is cut off.
  expect(cutOff).toEqual(["a"]);
  expect([hold("b", 5), hold("c", 1)]).toEqual(["held", "unreadAnswers"]);
});

test("large answers are built one in a turn of the event loop, in the order of their requests, and are counted once", async () => {
  const peers = { requestIP: () => ({ address: "::1" }), timeout: () => {} };
  const unread = createUnreadAnswers({ ...unreadAnswers, countedFromBytes: 10, maxBytesPerAddress: 80, maxBytes: 80 });
  let turn = 0;
  let timer = setImmediate(function next() {
    turn += 1;
    timer = setImmediate(next);
  });
  const exchanges = Array.from({ length: 8 }, () =>
    createTestExchange({ request: new Request("http://localhost/"), peers, client: "a", answerBytes: 10 }),
  );
  const built: number[] = [];
  const build = async (index: number, exchange: (typeof exchanges)[number]) => {
    await unread.beforeBuilding(exchange);
    built.push(index);
    return turn;
  };
  const turns = await Promise.all(exchanges.map((exchange, index) => build(index, exchange)));
  clearImmediate(timer);
  expect(new Set(turns).size).toBe(8);
  expect(built).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  for (const exchange of exchanges) unread.hold(exchange);
  expect(() => unread.hold(createTestExchange({ peers, client: "b", answerBytes: 10 }))).toThrow("80 bytes");
});
