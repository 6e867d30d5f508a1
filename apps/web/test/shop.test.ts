import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fund } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { type DemoShop, startDemoShop } from "@dueday/local/startDemoShop";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser } from "playwright-core";
import { parseUnits } from "viem";
import { findAxeFaults } from "./findAxeFaults";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

/** Subscribed to nothing in the shop's token. */
const [atDesk, onPhone, stranger] = [58, 59, 57].map((place) => testAccount(ACCOUNT_INDEX.firstSubscriber + place));

describe.if(ensureBrowser())("the sample shop", () => {
  let web: WebDemo;
  let shop: DemoShop;
  let browser: Browser;
  const cleanUps: (() => unknown)[] = [];

  beforeAll(async () => {
    web = await startWebDemo(demo, { ADMIN_SECRET: "a secret of this test, long and random" });
    cleanUps.push(web.stop);
    shop = await startDemoShop(web.facts, 0);
    cleanUps.push(shop.stop);
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    await settle(web.devnet);
    const { client, contract, tokens } = web.devnet;
    const [token] = tokens;
    if (token === undefined || atDesk === undefined || onPhone === undefined) throw new Error("the demo has both");
    const admin = testAccount(ACCOUNT_INDEX.admin).address;
    for (const { address } of [atDesk, onPhone])
      await fund({ client, contract, admin }, token, address, parseUnits("1000", 6), 0n);
    await web.caughtUp();
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  test("a visitor subscribes in the frame of the button, and the shop opens its page to the account that paid", async () => {
    if (atDesk === undefined) throw new Error("the demo has the account");
    const { page, context, wallet } = await openPage(browser, web, { account: atDesk, batches: true });
    await page.goto(shop.url);
    expect(await findAxeFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Subscribe to read on" }).click();
    const checkout = page.frameLocator('iframe[title="Checkout"]');
    await checkout.getByRole("button", { name: "Choose a wallet" }).click();
    await checkout.getByRole("button", { name: wallet.name }).click();
    await checkout.getByRole("button", { name: /^Pay .* and subscribe$/ }).click();
    await page.waitForURL(`${shop.url}/members`);
    await page.getByText(atDesk.address).waitFor();
    expect(wallet.requests.filter((method) => /send|sign/i.test(method))).toEqual([
      "wallet_sendCalls",
      "personal_sign",
    ]);
    await context.close();
  });

  test("on a phone the checkout is a separate tab, and the page that opened it goes on", async () => {
    if (onPhone === undefined) throw new Error("the demo has the account");
    const { page, context, wallet } = await openPage(browser, web, { account: onPhone, batches: true });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(shop.url);
    const [tab] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("button", { name: "Subscribe to read on" }).click(),
    ]);
    await tab.getByRole("button", { name: "Choose a wallet" }).click();
    await tab.getByRole("button", { name: wallet.name }).click();
    await tab.getByRole("button", { name: /^Pay .* and subscribe$/ }).click();
    await page.waitForURL(`${shop.url}/members`);
    await page.getByText(onPhone.address).waitFor();
    await context.close();
  });

  test("without a proof of this session's order, the page of those who pay stays closed", async () => {
    if (stranger === undefined) throw new Error("the demo has the account");
    const { page, context } = await openPage(browser, web, { account: stranger });
    await page.goto(`${shop.url}/members`);
    expect(page.url()).toBe(`${shop.url}/`);
    const answer = await page.evaluate(async () => {
      const proof = { message: "pay.example wants you to sign in", signature: "0x00" };
      const headers = { "Content-Type": "application/json" };
      const response = await fetch("/signed-in", { method: "POST", headers, body: JSON.stringify(proof) });
      return { status: response.status, text: await response.text() };
    });
    expect(answer.status).toBe(403);
    expect(answer.text).toStartWith("Not signed in: ");
    const without = await fetch(`${shop.url}/signed-in`, { method: "POST", body: "{}" });
    expect([without.status, await without.text()]).toEqual([400, "Your session is over. Load the page again."]);
    await context.close();
  });
});
