import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { subscriptions } from "@dueday/db/schema/derived";
import { writeCheckoutSettings } from "@dueday/db/selling/checkoutSettings";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

const SCRIPT = "console.log('the app');\n".repeat(100);
const PAGE = "<!doctype html><title>App</title>";
const ACCOUNT = "<!doctype html><title>App</title><link rel=modulepreload href=account.js>";
const CHECKOUT = "<!doctype html><title>Checkout</title>";
const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

const folder = await mkdtemp(join(tmpdir(), "dueday-app-"));
await Bun.write(join(folder, "index.html"), PAGE);
await Bun.write(join(folder, "pages/account.html"), ACCOUNT);
await Bun.write(join(folder, "checkout.html"), CHECKOUT);
await Bun.write(join(folder, "pay.js"), SCRIPT);
await Bun.write(join(folder, "assets/index-1.js"), SCRIPT);
await Bun.write(join(folder, "assets/index-1.js.br"), brotliCompressSync(SCRIPT));
await Bun.write(join(folder, "assets/index-1.js.gz"), Bun.gzipSync(SCRIPT));
await Bun.write(join(folder, "sources.txt"), "not for the public");

const database = await createTestDatabase();
const parts = { database, rpcUrl: "http://127.0.0.1:9", contract, appFolder: folder };
const api = await startTestApi({
  ...parts,
  env: {
    [`CHAIN_${TEST_CHAIN_ID}_PUBLIC_RPC_URL`]: "https://node.example/public",
    [`CHAIN_${TEST_CHAIN_ID}_EXPLORER_URL`]: "https://explorer.example/",
  },
});
afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

const acceptHtml = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const send = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${api.url}${path}`, { headers, redirect: "manual" });

test("a browser that asks for / is redirected to the app; every other client gets JSON", async () => {
  const browser = await send("/", acceptHtml);
  expect([browser.status, browser.headers.get("location"), browser.headers.get("vary")]).toEqual([
    302,
    "/app",
    "Accept",
  ]);
  for (const headers of [{}, { Accept: "application/json" }, { Accept: "*/*" }]) {
    const { status, body } = await callApi(api, "/", { headers });
    expect([status, body.name]).toEqual([200, "dueday"]);
  }
});

test.each(["/app", "/app/", "/app/calendar?month=2026-03", "/app/subscriptions/0x12", "/app?chainId=999"])(
  "%s is the page, which is asked for again each time and takes from no bucket",
  async (path) => {
    const page = await send(path, acceptHtml);
    expect([page.status, await page.text()]).toEqual([200, PAGE]);
    expect(page.headers.get("content-type")).toStartWith("text/html");
    expect([page.headers.get("cache-control"), page.headers.get("ratelimit")]).toEqual(["no-cache", null]);
    expect((await send(path, { "If-None-Match": page.headers.get("etag") ?? "" })).status).toBe(304);
  },
);

test("an address of a page whose code is known gets it with the code of that page", async () => {
  const textOf = async (path: string) => (await send(path, acceptHtml)).text();
  expect(await textOf("/app/accounts/0x12?tab=coming")).toBe(ACCOUNT);
  expect(await textOf("/app/accounts/")).toBe(PAGE);
  expect(await textOf("/app/pages/account.html")).toBe(PAGE);
});

test("the page's policy allows no inline script or style, and no origin but its own and the public node", async () => {
  const { headers } = await send("/app");
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).not.toContain("unsafe");
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy.match(/https?:[^ ;]+/g)).toEqual(["https://node.example"]);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("a file is cached for ever, and sent in the best form that the client accepts", async () => {
  const forms = [
    ["gzip, deflate, br", "br"],
    ["br;q=0, gzip", "gzip"],
    ["identity", null],
  ] as const;
  for (const [accepted, encoding] of forms) {
    const file = await send("/app/assets/index-1.js", { "Accept-Encoding": accepted });
    expect([file.status, file.headers.get("content-encoding"), await file.text()]).toEqual([200, encoding, SCRIPT]);
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect([file.headers.get("content-type"), file.headers.get("vary")]).toEqual([
      "text/javascript;charset=utf-8",
      "Accept-Encoding",
    ]);
  }
});

test("nothing else of the folder is served, and a file that is gone is not answered with the page", async () => {
  for (const path of ["/app/assets/index-0.js", "/app/assets/../sources.txt", "/app/assets/%2e%2e/sources.txt"]) {
    expect(await (await send(path)).text()).not.toContain("public");
  }
  expect((await send("/app/assets/index-0.js")).status).toBe(404);
  expect(await (await send("/app/sources.txt")).text()).toBe(PAGE);
});

test("config.json has the chains with their public URLs, and no other URL", async () => {
  const { body, text } = await callApi(api, "/app/config.json");
  expect(body.chains).toEqual([
    {
      chainId: TEST_CHAIN_ID,
      name: "Devnet",
      contract,
      explorerUrl: "https://explorer.example",
      publicRpcUrl: "https://node.example/public",
    },
  ]);
  expect(text).not.toContain("127.0.0.1");
});

test("with WEB_ENABLED false, or without a build, a browser gets JSON and /app does not exist", async () => {
  const off = await startTestApi({ ...parts, env: { WEB_ENABLED: "false" } });
  const unbuilt = await startTestApi({ ...parts, appFolder: join(folder, "assets") });
  for (const other of [off, unbuilt]) {
    expect((await callApi(other, "/", { headers: acceptHtml })).status).toBe(200);
    expect((await callApi(other, "/app")).status).toBe(404);
    await other.stop();
  }
  expect(unbuilt.logText()).toContain("bun run web:build");
  expect(off.logText()).not.toContain("web:build");
});

const PLAN = `0x${"12".repeat(32)}` as const;

test.each([`/pay/${PLAN}`, "/pay/0x12", `/pay/${PLAN}?chainId=999`])(
  "%s is the page of a checkout, which is never stored and which no page may frame unless the seller lists it",
  async (path) => {
    const page = await send(path);
    expect([page.status, await page.text(), page.headers.get("cache-control")]).toEqual([200, CHECKOUT, "no-store"]);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  },
);

test("search engines may list a checkout, but no address of it that a shop has made for one customer", async () => {
  const robotsOf = async (query: string) => (await send(`/pay/${PLAN}${query}`)).headers.get("x-robots-tag");
  expect(await robotsOf("?chainId=999")).toBeNull();
  expect(await robotsOf("?reference=order-12")).toBe("noindex");
  expect(await robotsOf("?return_url=https%3A%2F%2Fshop.example%2F")).toBe("noindex");
});

test("a checkout may be framed by exactly the origins that its seller lists, and by others of its pages not", async () => {
  const seller = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
  await writeCheckoutSettings(database.database, seller, {
    origins: ["https://shop.example", "https://other.example"],
    returnUrls: [],
    supportUrl: null,
    paymasterUrl: null,
    updatedAt: new Date(0),
  });
  const scope = { chainId: TEST_CHAIN_ID, contract };
  const plan = { createdBlock: 1, createdLogIndex: 0, token: seller, amount: 1n, frequency: 1, dueDay: 1 } as const;
  await database.database.run("a plan of the seller", (db) =>
    db.insert(subscriptions).values({ ...scope, id: PLAN, provider: seller, ...plan }),
  );
  const listed = await send(`/pay/${PLAN}`);
  expect(listed.headers.get("content-security-policy")).toContain(
    "frame-ancestors https://shop.example https://other.example",
  );
  const asked = await send(`/pay/${PLAN}/frame-origins`, { Origin: "https://shop.example" });
  expect(asked.headers.get("access-control-allow-origin")).toBe("*");
  expect(await asked.json()).toEqual({ frameOrigins: ["https://shop.example", "https://other.example"] });
  const other = await send(`/pay/0x${"34".repeat(32)}`);
  expect(other.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
});

test("the button's script may be loaded by pages of other origins", async () => {
  const script = await send("/pay.js");
  expect([script.status, await script.text()]).toEqual([200, SCRIPT]);
  expect(script.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
});
