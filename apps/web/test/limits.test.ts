import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { demo } from "@dueday/devnet/scenarios/demo";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser } from "playwright-core";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

/** Prepares a minute of the free lane, as in production. */
const WRITES = 2;

describe.if(ensureBrowser())("a wallet on the free lane", () => {
  let web: WebDemo;
  let browser: Browser;

  beforeAll(async () => {
    [web, browser] = await Promise.all([startWebDemo(demo, { LIMIT_FREE_WRITE_RPM: String(WRITES) }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
  });

  test("that meets the limit in the middle of several transactions keeps what is mined, signs nothing more, and sees the time left", async () => {
    const { client, keeper } = web.devnet;
    const dueday = createDueday({ baseUrl: web.url });
    const pages = (await dueday.getRemitReadiness()).totals.transactions;
    expect(pages).toBeGreaterThan(WRITES);
    const nonce = () => client.getTransactionCount({ address: keeper.address });
    const before = await nonce();
    const { page, open, wallet, faults } = await openPage(browser, web, { account: keeper });
    await open("/keepers?tab=settle");
    await page.getByRole("button", { name: `Settle all ${pages} pages` }).click();

    const refused = page.getByRole("alert").filter({ hasText: "You have reached the request limit" });
    await refused.getByText("RATE_LIMITED").waitFor();
    await refused.getByRole("timer").waitFor();
    expect(await refused.getByRole("timer").textContent()).toMatch(/\d+ s|1 min/);
    expect((await nonce()) - before).toBe(WRITES);
    expect(wallet.requests.filter((method) => method === "eth_sendTransaction")).toHaveLength(WRITES);

    // What is left is shown, and the button is there for it.
    await web.caughtUp();
    const left = pages - WRITES;
    expect((await dueday.getRemitReadiness()).totals.transactions).toBe(left);
    await page.getByRole("button", { name: `Settle all ${left} pages` }).waitFor();
    expect(await page.getByRole("button", { name: "Settle the next page" }).isEnabled()).toBe(true);
    expect(faults).toEqual([]);
  });

  test("a request that was refused is repeated once when the countdown is over", async () => {
    const { keeper } = web.devnet;
    const { page, open, faults } = await openPage(browser, web, { account: keeper });
    let asked = 0;
    await page.route(/\/subscriptions\?.*skip=[1-9]/, (route) => {
      asked++;
      if (asked > 1) return route.continue();
      const error = { error: "the limit is reached", code: "RATE_LIMITED", requestId: crypto.randomUUID() };
      // More than the client of the service waits by itself.
      return route.fulfill({ status: 429, headers: { "Retry-After": "11" }, json: error });
    });
    await open("/subscriptions");
    await page.getByRole("button", { name: "Load more" }).click();
    await page.getByRole("timer").waitFor();
    await page.getByRole("timer").waitFor({ state: "detached" });
    await page.getByText(/^(?:1[1-9]|[2-9]\d) (?:of|listed)/).waitFor();
    expect(asked).toBe(2);
    expect(faults).toEqual([]);
  });
});
