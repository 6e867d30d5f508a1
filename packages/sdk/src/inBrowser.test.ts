import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { devnetChain } from "@dueday/devnet/devnetChain";
import { demo } from "@dueday/devnet/scenarios/demo";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Browser, Page } from "playwright-core";
import { createWalletClient, http, toHex } from "viem";

const database = await createTestDatabase();

describe.if(ensureBrowser())("a React page in Chromium", () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  /** Funded, and not subscribed. */
  const joiner = testAccount(ACCOUNT_INDEX.firstSubscriber).address;
  const signed: string[] = [];
  let devnet: Devnet;
  let api: TestApi;
  let page: Page;
  let proxy: Awaited<ReturnType<typeof startTcpProxy>>;

  beforeAll(async () => {
    const browser: Browser = await openBrowser();
    cleanUps.push(() => browser.close());
    devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
    cleanUps.push(devnet.stop);
    proxy = await startTcpProxy();
    cleanUps.push(proxy.stop);
    const origin = await servePage();
    const { contract, url } = devnet;
    api = await startTestApi({ database, rpcUrl: url, contract, env: { CORS_ORIGINS: origin } });
    cleanUps.push(api.stop);
    proxy.pointAt(Number(new URL(api.url).port));
    page = await browser.newPage();
    await page.exposeFunction("askWallet", askWallet);
    await page.goto(origin);
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  /** A wallet without batches: it signs with the node's keys. */
  async function askWallet({ method, params }: { method: string; params?: unknown }): Promise<unknown> {
    if (method === "eth_requestAccounts" || method === "eth_accounts") return [joiner];
    if (method === "eth_chainId") return toHex(devnetChain.id);
    if (method.startsWith("wallet_")) throw new Error(`${method} is not supported`);
    if (method === "eth_sendTransaction") signed.push(method);
    const node = createWalletClient({ chain: devnetChain, transport: http(devnet.url) });
    return (node.request as (request: object) => Promise<unknown>)({ method, params });
  }

  async function servePage(): Promise<string> {
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, "../test/page/page.ts")],
      target: "browser",
      define: { "process.env.NODE_ENV": '"production"' },
    });
    const script = await built.outputs[0]?.text();
    const settings = {
      baseUrl: `http://127.0.0.1:${proxy.port}`,
      contract: devnet.contract,
      id: devnet.subscriptions.reader,
    };
    const head = `<script>
      window.settings = ${JSON.stringify(settings)};
      window.ethereum = { request: (call) => window.askWallet(call), on() {}, removeListener() {} };
    </script>`;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) =>
        new URL(url).pathname === "/page.js"
          ? new Response(script, { headers: { "Content-Type": "text/javascript" } })
          : new Response(`<!doctype html>${head}<body></body><script type="module" src="/page.js"></script>`, {
              headers: { "Content-Type": "text/html" },
            }),
    });
    cleanUps.push(() => server.stop(true));
    return server.url.origin;
  }

  const untilText = (name: string, text: string | RegExp) =>
    page.locator(`#${name}`, { hasText: text }).waitFor({ state: "attached", timeout: 60_000 });
  const append = (first: number, count: number) =>
    appendTestEvents(database.database, { chainId: TEST_CHAIN_ID, contract: devnet.contract }, { first, count });

  test("lists what is due and how many transactions settle it", async () => {
    await untilText("due", "HUSD");
    await untilText("transactions", /^[1-9]\d*$/);
    const { expectedTransactions } = await createDueday({ baseUrl: api.url }).getRemitReadiness();
    expect(await page.textContent("#transactions")).toBe(String(expectedTransactions));
  });

  test("follows events through a connection that breaks before the first event, and one between two", async () => {
    await untilText("stream", "open");
    proxy.pointAt(9);
    proxy.cut();
    await append(1, 2);
    proxy.pointAt(Number(new URL(api.url).port));
    await untilText("events", /^2 1$/);
    proxy.pointAt(9);
    proxy.cut();
    await append(3, 2);
    proxy.pointAt(Number(new URL(api.url).port));
    await untilText("events", /^4 3 2 1$/);
  });

  test("subscribes with the injected wallet: an approval, then the subscription", async () => {
    await page.click("#connect");
    await untilText("account", joiner);
    await page.click("#subscribe");
    await Promise.race([untilText("receipts", /^[12]$/), untilText("error", /./)]);
    expect(await page.textContent("#error")).toBe("");
    expect(Number(await page.textContent("#receipts"))).toBe(signed.length);
    const dueday = createDueday({ baseUrl: api.url });
    const isSubscribed = async () => {
      const { subscriptions } = await dueday.getAccountSubscriptions({ address: joiner, bySubscriber: true });
      const own = subscriptions.find(({ subscription }) => subscription.id === devnet.subscriptions.reader);
      return own?.statusLabel === "ACTIVE";
    };
    await waitUntil("the subscription is seen", isSubscribed);
  });
});
