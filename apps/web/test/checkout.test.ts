import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fund } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser } from "playwright-core";
import { type Hex, parseUnits } from "viem";
import { findAxeFaults } from "./findAxeFaults";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

/** Subscribed to nothing in the token of `reader`. */
const payer = testAccount(ACCOUNT_INDEX.firstSubscriber + 58);
const PHONE = { width: 390, height: 844 };
/** Of HTML, CSS and JavaScript, compressed. */
const MOST_BYTES = 90_000;

describe.if(ensureBrowser())("the checkout", () => {
  let web: WebDemo;
  let browser: Browser;
  let id: Hex;
  /** What the checkout shows before the demo's backlog is settled. */
  let lateText: string;
  const cleanUps: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    web = await startWebDemo(demo);
    cleanUps.push(web.stop);
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    id = web.devnet.subscriptions.reader ?? "0x";
    lateText = await textOf(`/pay/${id}`);
    await settle(web.devnet);
    const { client, contract, tokens } = web.devnet;
    const [token] = tokens;
    if (token === undefined) throw new Error("the demo has no token");
    const admin = testAccount(ACCOUNT_INDEX.admin).address;
    await fund({ client, contract, admin }, token, payer.address, parseUnits("1000", 6), 0n);
    await web.caughtUp();
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  test("while payments are late, the days that will still be charged are named, and no day that has passed is the next", () => {
    expect(lateText).toContain("Payments are collected late at the moment");
    expect(lateText).toContain("as soon as late payments are collected");
    expect(lateText).toContain("for the days until the next payment date");
  });

  const textOf = async (path: string) => {
    const { page, context } = await open(path, true);
    await page.getByRole("button", { name: "Choose a wallet" }).waitFor();
    const text = (await page.getByRole("main").textContent()) ?? "";
    await context.close();
    return text;
  };

  const open = async (path: string, batches: boolean) => {
    const opened = await openPage(browser, web, { account: payer, batches });
    await opened.page.setViewportSize(PHONE);
    await opened.page.goto(`${web.url}${path}`);
    return opened;
  };

  test("price, next charge and the button are in view on a phone, without hex, before a wallet is chosen", async () => {
    const { page, context, faults } = await open(`/pay/${id}`, true);
    const button = page.getByRole("button", { name: "Choose a wallet" });
    await button.waitFor();
    const box = await button.boundingBox();
    expect((box?.y ?? PHONE.height) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.height);
    const text = await page.getByRole("main").textContent();
    expect(text).toContain("Today");
    expect(text).toContain("Next");
    expect(text).not.toMatch(/0x[0-9a-f]{4}/i);
    expect(await findAxeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("at most 90 kB of compressed page, styles and code come before a wallet is chosen, and no code of wallets", async () => {
    const { page, context } = await openPage(browser, web, { account: payer });
    const bytes = new Map<string, number>();
    const reading: Promise<void>[] = [];
    page.on("response", (response) => {
      const type = response.headers()["content-type"] ?? "";
      if (!/html|css|javascript/.test(type)) return;
      const read = async () => {
        bytes.set(response.url(), Bun.gzipSync(new Uint8Array(await response.body()), { level: 9 }).length);
      };
      reading.push(read());
    });
    await page.goto(`${web.url}/pay/${id}`);
    await page.getByRole("button", { name: "Choose a wallet" }).waitFor();
    await page.waitForLoadState("networkidle");
    await Promise.all(reading);
    const sum = [...bytes.values()].reduce((all, each) => all + each, 0);
    console.log(`the checkout before a wallet is chosen: ${(sum / 1000).toFixed(1)} kB gzip in ${bytes.size} files`);
    expect(bytes.size).toBeGreaterThan(2);
    expect([...bytes.keys()].filter((url) => url.includes("Payment"))).toEqual([]);
    expect(sum).toBeLessThanOrEqual(MOST_BYTES);
    await context.close();
  });

  test("a link that returns to a page which the seller has not listed shows nothing of the plan", async () => {
    const { page, context } = await open(`/pay/${id}?return_url=${encodeURIComponent("https://evil.example/")}`, true);
    await page.getByRole("alert").filter({ hasText: "This link is not the seller's" }).waitFor();
    expect(await page.getByRole("main").textContent()).not.toContain("Today");
    await context.close();
  });

  test("no page may show the checkout in a frame while the seller lists none", async () => {
    const response = await fetch(`${web.url}/pay/${id}`);
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    await response.body?.cancel();
  });

  test("nothing is paid by a link that asks for a proof for a shop which the seller has not listed", async () => {
    const { page, context, wallet } = await open(`/pay/${id}?proof=1&origin=https://shop.example`, true);
    await page.getByRole("button", { name: "Choose a wallet" }).click();
    await page.getByRole("button", { name: wallet.name }).click();
    await page.getByRole("button", { name: /^Pay .* and subscribe$/ }).click();
    await page.getByRole("alert").filter({ hasText: "This link is not the seller's" }).waitFor();
    expect(wallet.requests.filter((method) => /send|sign/i.test(method))).toEqual([]);
    await context.close();
  });

  test("pays with one prompt where the wallet takes batches, and shows so though the wallet locks itself meanwhile; who pays already is shown so", async () => {
    const { page, context, wallet, faults } = await open(`/pay/${id}?reference=order%207`, true);
    await page.getByRole("button", { name: "Choose a wallet" }).click();
    await page.getByRole("button", { name: wallet.name }).click();
    wallet.rejectNext();
    const pay = page.getByRole("button", { name: /^Pay .* and subscribe$/ });
    await pay.click();
    await page.getByText("Rejected in the wallet").waitFor();
    wallet.requests.length = 0;
    wallet.setPending(true);
    await pay.click();
    await page.getByText("Sent. Waiting until the chain has it.").waitFor();
    await page.evaluate("dispatchEvent(new Event('test-wallet-locks'))");
    await page.getByRole("heading", { name: "Pay with" }).waitFor();
    wallet.setPending(false);
    await page.getByText("You are subscribed").waitFor();
    expect(wallet.requests.filter((method) => /send|sign/i.test(method))).toEqual(["wallet_sendCalls"]);
    await web.caughtUp();
    const { entitled } = await createDueday({ baseUrl: web.url }).getEntitlement({ id, account: payer.address });
    expect(entitled).toBe(true);
    await page.reload();
    await page.getByRole("button", { name: "Choose a wallet" }).click();
    await page.getByRole("button", { name: wallet.name }).click();
    await page.getByText("You already pay this plan").waitFor();
    expect(await findAxeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a phone without a wallet gets links that open this very page in wallets' apps, and a computer a code of it", async () => {
    const path = `${web.url}/pay/${id}?reference=${encodeURIComponent("order 7 & more?")}`;
    const texts: string[] = [];
    for (const isMobile of [true, false]) {
      const context = await browser.newContext({ viewport: PHONE, isMobile, hasTouch: isMobile });
      const page = await context.newPage();
      await page.goto(path);
      await page.getByRole("button", { name: "Choose a wallet" }).click();
      await page.getByText("This browser has no wallet").waitFor();
      const links = page.getByRole("main").locator("ul a");
      if (isMobile) {
        for (const link of await links.all()) {
          const target = (await link.getAttribute("href")) ?? "";
          // As a browser opens it, the wallet's link has the whole address of this page in it, once or twice encoded.
          const decoded = [target, decodeURIComponent(target), decodeURIComponent(decodeURIComponent(target))];
          expect([target, decoded.some((each) => each.includes(path.replace("http://", "")))]).toEqual([target, true]);
          texts.push(new URL(target).hostname);
        }
      } else {
        await page.getByRole("img", { name: "QR code of this checkout" }).waitFor();
        expect(await links.count()).toBe(0);
      }
      expect(await findAxeFaults(page)).toEqual([]);
      await context.close();
    }
    expect(texts).toEqual(["link.metamask.io", "go.cb-w.com", "link.trustwallet.com", "web3.okx.com"]);
  });

  test("a shop's button opens the checkout in a tab while the seller does not list the shop's origin, and again after the tab was closed", async () => {
    using shop = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(
          `<!doctype html><title>Shop</title><script src="${web.url}/pay.js" async></script>
          <dueday-button subscription="${id}" reference="order 8">Join</dueday-button>`,
          { headers: { "Content-Type": "text/html" } },
        ),
    });
    const { page, context } = await openPage(browser, web, { account: payer });
    const origin = `http://localhost:${shop.port}`;
    await page.goto(origin);
    const [tab] = await Promise.all([context.waitForEvent("page"), page.getByRole("button", { name: "Join" }).click()]);
    await tab.getByRole("heading", { level: 1 }).waitFor();
    const url = new URL(tab.url());
    expect([url.origin, url.pathname]).toEqual([web.url, `/pay/${id}`]);
    expect(Object.fromEntries(url.searchParams)).toEqual({ reference: "order 8", origin });
    await tab.getByRole("button", { name: "Choose a wallet" }).waitFor();
    // A second click shows the same tab; after the payer has closed it, a click opens another one.
    await page.getByRole("button", { name: "Join" }).click();
    expect(context.pages()).toHaveLength(2);
    await tab.close();
    await Promise.all([context.waitForEvent("page"), page.getByRole("button", { name: "Join" }).click()]);
    await context.close();
  });
});
