import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ApiProcess, startApiProcess } from "@dueday/api/test/startApiProcess";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { buildApi } from "./buildApi";

const database = await createTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];
let built: ApiProcess;
let source: ApiProcess;

beforeAll(async () => {
  built = await startApiProcess(database, {}, await buildApi());
  cleanUps.push(built.stop);
  source = await startApiProcess(database, {});
  cleanUps.push(source.stop);
});

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** Status, type and body of an answer, without what differs by process and request. */
async function answerOf({ url }: ApiProcess, path: string, init?: RequestInit) {
  const response = await fetch(url + path, init);
  const text = (await response.text()).replaceAll(new URL(url).host, "host").replace(/"requestId":"[^"]+"/, "");
  return { status: response.status, type: response.headers.get("content-type"), text };
}

test.each(["/", "/catalog", "/openapi.json", "/docs", "/docs/errors", "/app", "/llms.txt", "/nothing"])(
  "the bundle answers %s as the source does",
  async (path) => {
    expect(await answerOf(built, path)).toEqual(await answerOf(source, path));
  },
);

test("the bundle serves the viewer of /docs, which it loads for the first visitor", async () => {
  const { text } = await answerOf(built, "/docs");
  const script = /<script[^>]* src="([^"]+)"/.exec(text)?.[1];
  if (script === undefined) throw new Error("the page names no script");
  const viewer = await answerOf(built, new URL(script, built.url).pathname);
  expect(viewer.status).toBe(200);
  expect(viewer.text.length).toBeGreaterThan(100_000);
});

test("the bundle lists the same MCP tools as the source", async () => {
  const listing = {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  };
  const answer = await answerOf(built, "/mcp", listing);
  expect(answer.status).toBe(200);
  expect(answer.text).toContain("get_remit_readiness");
  expect(answer).toEqual(await answerOf(source, "/mcp", listing));
});
