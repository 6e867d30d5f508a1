import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { writeTestSnapshots } from "@dueday/api/test/writeTestSnapshots";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Browser } from "playwright-core";

/** What a page gives `fetch`. */
type Init = { method?: string; headers?: Record<string, string>; body?: string; cache?: "no-store" };

const SCRIPT = join(import.meta.dir, "../../test/page/otherOrigin.ts");
const ADMIN_SECRET = "an-admin-secret-for-tests";

const database = await createTestDatabase();

describe.if(ensureBrowser())("a page of another origin, in a browser", () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let listed: string;
  let stranger: string;
  let api: TestApi;
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    listed = servePage();
    stranger = servePage();
    const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
    cleanUps.push(devnet.stop);
    const { contract, url } = devnet;
    const client = createChainClient({ chainId: TEST_CHAIN_ID, rpcUrls: [url], requestTimeoutMs: 5_000 });
    await appendTestEvents(database.database, { chainId: TEST_CHAIN_ID, contract }, { first: 1, count: 4 });
    await writeTestSnapshots({ database: database.database, client, contract, computedAt: new Date() });
    const env = { CORS_ORIGINS: listed, MCP_ALLOWED_ORIGINS: listed, ADMIN_SECRET };
    api = await startTestApi({ database, rpcUrl: url, contract, env });
    cleanUps.push(api.stop);
  });

  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  /** A separate origin, with an empty page. */
  function servePage(): string {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("<!doctype html>", { headers: { "Content-Type": "text/html" } }),
    });
    cleanUps.push(() => server.stop(true));
    return server.url.origin;
  }

  /** The part of an answer that the page's script can read; null where the browser withholds it. */
  async function ask(from: string, path: string, init: Init = {}) {
    const page = await browser.newPage();
    await page.goto(from);
    const received = await page.evaluate(
      async ([url, given]) => {
        const response = await fetch(url, given).catch(() => null);
        if (response === null) return null;
        return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
      },
      [api.url + path, init] as const,
    );
    await page.close();
    return received;
  }

  const ping = {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  };

  test("that is listed reads answers with the fields a client needs, refusals included", async () => {
    const missing = await ask(listed, "/nothing");
    const fields = ["ratelimit", "ratelimit-policy", "x-request-id", "x-service-lane"];
    expect(missing?.status).toBe(404);
    expect(Object.keys(missing?.headers ?? {})).toEqual(expect.arrayContaining(fields));
    const headers = { Authorization: "Bearer dueday_wrong", "X-Request-Id": crypto.randomUUID() };
    const refused = await ask(listed, "/catalog", { headers });
    expect(refused).toMatchObject({ status: 401, headers: { "x-request-id": headers["X-Request-Id"] } });
    expect(JSON.parse(refused?.text ?? "").code).toBe("UNAUTHORIZED");
  });

  test("that is listed polls with If-None-Match, and receives the block for which nothing has changed", async () => {
    const { status, headers } = (await ask(listed, "/remit/readiness")) ?? {};
    expect({ status, headers }).toMatchObject({ status: 200, headers: { "x-as-of": expect.any(String) } });
    const again: Init = { headers: { "If-None-Match": headers?.etag ?? "" }, cache: "no-store" };
    const unchanged = await ask(listed, "/remit/readiness", again);
    expect(unchanged).toMatchObject({ status: 304, text: "", headers: { "x-as-of": headers?.["x-as-of"] } });
  });

  test("that is listed can use MCP", async () => {
    const answer = await ask(listed, "/mcp", ping);
    expect(answer?.status).toBe(200);
    expect(JSON.parse(answer?.text ?? "")).toMatchObject({ id: 1, result: {} });
  });

  /** What a function of the page's script resolves to. */
  async function runScript(name: string, ...given: unknown[]): Promise<unknown> {
    const { outputs } = await Bun.build({ entrypoints: [SCRIPT], target: "browser" });
    const page = await browser.newPage();
    await page.goto(listed);
    await page.addScriptTag({ type: "module", content: (await outputs[0]?.text()) ?? "" });
    // A module may run after the tag's load event.
    await page.waitForFunction("'script' in globalThis");
    const resolved = await page.evaluate(`script.${name}(...${JSON.stringify(given)})`);
    await page.close();
    return resolved;
  }

  test("that is listed can use MCP of revision 2026-07-28, whose headers repeat what the body names", async () => {
    expect(await runScript("useMcp", `${api.url}/mcp`, "list_chains")).toMatchObject({
      tools: expect.arrayContaining(["get_remit_readiness"]),
      answer: { chains: [{ chainId: TEST_CHAIN_ID }] },
    });
  });

  test("that is listed continues a stream of events with fetch, after the event that Last-Event-ID names", async () => {
    expect(await runScript("continueStream", `${api.url}/events`, { after: "2", last: "4" })).toEqual(["3", "4"]);
  });

  test("that is listed receives events by EventSource under the name of their type, and not as messages", async () => {
    expect(await runScript("listen", `${api.url}/events?after=2`)).toEqual({ seqs: [3, 4], messages: 0 });
  });

  test("that is listed can create, list and revoke developer keys", async () => {
    const headers = { "Content-Type": "application/json", "X-Service-Admin-Key": ADMIN_SECRET };
    const body = JSON.stringify({ subjectId: "a-page" });
    const created = await ask(listed, "/developer/keys", { method: "POST", headers, body });
    expect(created?.status).toBe(201);
    const { id } = JSON.parse(created?.text ?? "");
    const revoked = await ask(listed, `/developer/keys/${id}`, { method: "DELETE", headers });
    expect(revoked?.status).toBe(200);
    const found = await ask(listed, "/developer/keys?subjectId=a-page", {
      headers: { Authorization: `Bearer ${ADMIN_SECRET}` },
    });
    expect(JSON.parse(found?.text ?? "")).toMatchObject({ count: 1, keys: [{ id }] });
    const { status } = (await ask(listed, "/developer/keys", { method: "POST", headers, body: "{}" })) ?? {};
    expect(status).toBe(400);
  });

  test("that is not listed reads nothing, although its request is answered", async () => {
    expect(await ask(stranger, "/remit/readiness?from=a-stranger")).toBeNull();
    const isItsOwn = ({ status }: Record<string, unknown>) => status === 400;
    await waitUntil("its request to be answered", () => api.requestLog().some(isItsOwn));
    expect(await ask(stranger, "/remit/readiness")).toBeNull();
    expect(await ask(stranger, "/mcp", ping)).toBeNull();
  });
});
