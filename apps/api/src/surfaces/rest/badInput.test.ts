import { afterAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { sendRaw } from "@dueday/api/test/sendRaw";
import { startTestApi } from "@dueday/api/test/startTestApi";
import type { errorStatus } from "@dueday/core/errors";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { operations } from "../../operations/operations";

const SECRET = "s3cr3t-rpc-key";
const FROM = "0x1111111111111111111111111111111111111111";

const database = await createTestDatabase();
// No server listens there: an invalid request is refused without a request to the node.
const api = await startTestApi({
  database,
  rpcUrl: `http://127.0.0.1:9/${SECRET}`,
  contract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
});
afterAll(() => api.stop());

const json = { "Content-Type": "application/json" };
const post = (path: string, body: string, headers: Record<string, string> = json) => ({
  path,
  init: { method: "POST", headers, body },
});
const get = (path: string, method = "GET") => ({ path, init: { method } });

type Case = {
  name: string;
  request: { path: string; init: RequestInit };
  status: number;
  code: keyof typeof errorStatus;
  issue?: { code: string; path?: string };
};

const cases: Case[] = [
  {
    name: "an unknown key in a body",
    request: post("/prepare/remit", JSON.stringify({ from: FROM, form: FROM })),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "UNKNOWN_KEY", path: "form" },
  },
  {
    name: "a key named like a property of every object",
    request: post("/prepare/remit", `{"from":"${FROM}","__proto__":{"readinessOnly":true},"constructor":1}`),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "UNKNOWN_KEY", path: "constructor" },
  },
  {
    name: "a chainId in the body",
    request: post("/prepare/remit", JSON.stringify({ from: FROM, chainId: 31337 })),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "MISPLACED", path: "chainId" },
  },
  {
    name: "a body field in the query",
    request: post(`/prepare/remit?from=${FROM}`, "{}"),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "MISPLACED", path: "from" },
  },
  {
    name: "a repeated query parameter",
    request: get("/subscriptions/due?first=5&first=6"),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "REPEATED", path: "first" },
  },
  {
    name: "an unknown query parameter",
    request: get("/subscriptions/due?day=5"),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "UNKNOWN_KEY", path: "day" },
  },
  {
    name: "a number with an exponent in the query",
    request: get("/subscriptions/due?first=1e1"),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "WRONG_TYPE", path: "first" },
  },
  {
    name: "a page that is too long",
    request: get("/subscriptions/due?first=201"),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "OUT_OF_RANGE", path: "first" },
  },
  {
    name: "a date that the calendar does not have",
    request: get("/subscriptions/due?date=2026-02-30"),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "MALFORMED", path: "date" },
  },
  {
    name: "a date and another day's number",
    request: get("/subscriptions/due?date=2026-02-28&dayNumber=1"),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "CONTRADICTION", path: "dayNumber" },
  },
  {
    name: "a wrong type",
    request: post("/prepare/remit", JSON.stringify({ from: FROM, readinessOnly: "true" })),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "WRONG_TYPE", path: "readinessOnly" },
  },
  {
    name: "a missing field",
    request: post("/prepare/remit", "{}"),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "REQUIRED", path: "from" },
  },
  {
    name: "a malformed address",
    request: post("/prepare/remit", JSON.stringify({ from: "0x12" })),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "MALFORMED", path: "from" },
  },
  {
    name: "invalid JSON",
    request: post("/prepare/remit", '{"from":'),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "INVALID_JSON" },
  },
  {
    name: "JSON that is nested too deep to read",
    request: post("/prepare/remit", "[".repeat(60_000)),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "INVALID_JSON" },
  },
  {
    name: "a body that is not an object",
    request: post("/prepare/remit", "[1]"),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "WRONG_TYPE" },
  },
  {
    name: "a body of 70 KiB",
    request: post("/prepare/remit", JSON.stringify({ from: FROM, padding: "x".repeat(70 * 1024) })),
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
  },
  {
    name: "a body of another media type",
    request: post("/prepare/remit", "from=0x", { "Content-Type": "application/x-www-form-urlencoded" }),
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
  },
  {
    name: "a compressed body",
    request: post("/prepare/remit", "{}", { ...json, "Content-Encoding": "gzip" }),
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
  },
  { name: "a wrong method", request: get("/catalog", "DELETE"), status: 405, code: "METHOD_NOT_ALLOWED" },
  { name: "an unknown path", request: get("/nope"), status: 404, code: "NOT_FOUND" },
  { name: "an unknown path under /api", request: get("/api/nope"), status: 404, code: "NOT_FOUND" },
  ...["0x7a69", "EIP155:31337", "", "031337", "-1", "8453", "31337&chainId=31337", "eip155:"].flatMap((chainId) =>
    ["/protocol/state", "/api/catalog", "/nope"].map(
      (path): Case => ({
        name: `chainId=${chainId} on ${path}`,
        request: get(`${path}?chainId=${chainId}`),
        status: 400,
        code: "VALIDATION_ERROR",
        issue: { code: expect.any(String), path: "chainId" },
      }),
    ),
  ),
  {
    name: "a bad chainId whose key is percent-encoded",
    request: get("/catalog?%63hainId=1"),
    status: 400,
    code: "VALIDATION_ERROR",
    issue: { code: "UNKNOWN_CHAIN", path: "chainId" },
  },
];

describe("a refused request names the fault, in the envelope, with one line in the log", () => {
  test.each(cases)("$name", async ({ request, status, code, issue }) => {
    const requestId = crypto.randomUUID();
    const headers = { ...request.init.headers, "X-Request-Id": requestId };
    const response = await fetch(`${api.url}${request.path}`, { ...request.init, headers });
    const body: unknown = await response.json();
    expect(response.status).toBe(status);
    expect(response.headers.get("x-request-id")).toBe(requestId);
    expect(body).toMatchObject({ code, requestId, error: expect.any(String) });
    if (issue !== undefined)
      expect(body).toMatchObject({ issues: expect.arrayContaining([expect.objectContaining(issue)]) });
    await waitUntil("the line of the request", () => linesOf(requestId).length > 0);
    expect(linesOf(requestId)).toEqual([expect.objectContaining({ status, code, level: "info" })]);
    expect(JSON.stringify(body) + api.logText()).not.toContain(SECRET);
  });
});

function linesOf(requestId: string) {
  return api.requestLog().filter((line) => line.requestId === requestId);
}

test("a wrong method is answered with the right ones, and OPTIONS is never refused", async () => {
  const wrong = await callApi(api, "/prepare/remit");
  expect(wrong.headers.get("allow")).toBe("POST, OPTIONS");
  const options = await callApi(api, "/catalog", { method: "OPTIONS" });
  expect(options.status).toBe(204);
  expect(options.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  expect((await callApi(api, "/nope", { method: "OPTIONS" })).status).toBe(404);
});

test("a chainId in the body and an unknown one point at the chains that are served", async () => {
  const inBody = await callApi(api, "/prepare/remit", { method: "POST", body: { from: FROM, chainId: 8453 } });
  expect(inBody.body.error).toBe(
    "chainId belongs in the query string (?chainId=31337), not in the body; the chains that are served are chains[] of GET /catalog",
  );
  const unknown = await callApi(api, "/protocol/state?chainId=1");
  expect(unknown.body.error).toBe("chainId is not a chain served here: send one of 31337 (chains[] of GET /catalog)");
});

test("every fault of an input is reported at once", async () => {
  const { body } = await callApi(api, "/prepare/remit?x=1", {
    method: "POST",
    body: { from: 1, readinessOnly: 2, y: 3 },
  });
  expect(body.issues).toEqual([
    expect.objectContaining({ code: "UNKNOWN_KEY", path: "x" }),
    expect.objectContaining({ code: "UNKNOWN_KEY", path: "y" }),
    expect.objectContaining({ code: "WRONG_TYPE", path: "from" }),
    expect.objectContaining({ code: "WRONG_TYPE", path: "readinessOnly" }),
  ]);
});

test.each(["h", "a b", "a/b", "evil@host", "x".repeat(300)])(
  "a Host of %p is refused before its URL is read",
  async (host) => {
    const answer = await sendRaw(api.url, ["GET /ab/status HTTP/1.1", `Host: ${host}`, "Connection: close"]);
    expect(answer).toStartWith("HTTP/1.1 400 ");
    expect(answer).toContain('"code":"VALIDATION_ERROR"');
  },
);

test.each([
  ["/status#top", 404, "NOT_FOUND"],
  ["/protocol/state#top", 404, "NOT_FOUND"],
  ["/status?chainId=31337#top", 400, "VALIDATION_ERROR"],
])(
  "a fragment, which no client sends, is a part of the path or value that contains it: %s",
  async (target, status, code) => {
    const answer = await sendRaw(api.url, [`GET ${target} HTTP/1.1`, "Host: 127.0.0.1", "Connection: close"]);
    expect(answer).toStartWith(`HTTP/1.1 ${status} `);
    expect(answer).toContain(`"code":"${code}"`);
  },
);

test("a declared length above the limit is refused before the body is sent", async () => {
  const answer = await sendRaw(api.url, [
    "POST /prepare/remit HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    "Content-Length: 1000000000",
    "Connection: close",
  ]);
  expect(answer).toStartWith("HTTP/1.1 413 ");
  expect(answer).toContain('"code":"PAYLOAD_TOO_LARGE"');
});

test("a chunked body is refused as soon as it passes the limit", async () => {
  const chunk = new Uint8Array(16 * 1024).fill(0x20);
  const body = new ReadableStream({
    start(controller) {
      for (let sent = 0; sent < 6; sent++) controller.enqueue(chunk);
      controller.close();
    },
  });
  const response = await fetch(`${api.url}/prepare/remit`, { method: "POST", headers: json, body });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});

test("a client's request id is taken over only if it is a UUID", async () => {
  const { headers } = await callApi(api, "/", { headers: { "X-Request-Id": "forged line" } });
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("the /api prefix is accepted on every path", async () => {
  for (const { http } of operations) {
    // The state of a node or database can change between two requests.
    await waitUntil(`/api${http.path} to answer as ${http.path} does`, async () => {
      const [bare, prefixed] = await Promise.all(
        ["", "/api"].map((prefix) => fetch(`${api.url}${prefix}${http.path}`, { method: http.method })),
      );
      return prefixed?.status === bare?.status;
    });
  }
});
