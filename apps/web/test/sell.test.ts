import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fund } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Browser, Locator, Page } from "playwright-core";
import { type Hex, isHex, parseUnits } from "viem";
import { createShop } from "../../../examples/shop";
import { findAxeFaults } from "./findAxeFaults";
import { findLayoutFaults } from "./findLayoutFaults";
import { injectWallet } from "./injectWallet";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { untilLoaded } from "./webViews";

setDefaultTimeout(240_000);

const MOST_CLICKS = 5;
const MOST_MS = 180_000;
/** After the end of what was paid, until the shop closes its page. */
const ENDS_WITHIN_SECONDS = 4;
const WINDOWS = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
];
/** Neither sells nor pays anything yet. */
const stranger = testAccount(ACCOUNT_INDEX.firstSubscriber + 57);
const payer = testAccount(ACCOUNT_INDEX.firstSubscriber + 58);
/** As `stranger`, for a phone. */
const phoneStranger = testAccount(ACCOUNT_INDEX.firstSubscriber + 56);
const journeys = [
  { device: "a computer", account: stranger, viewport: { width: 1440, height: 900 }, hasFrame: true },
  { device: "a phone", account: phoneStranger, viewport: { width: 390, height: 844 }, hasFrame: false },
];

type Shop = {
  origin: string;
  /** Sells a plan from then on. */
  sell(subscription: Hex): Promise<void>;
};

describe.if(ensureBrowser())("selling a subscription", () => {
  let web: WebDemo;
  let browser: Browser;
  const cleanUps: (() => unknown)[] = [];

  beforeAll(async () => {
    web = await startWebDemo(demo, { ADMIN_SECRET: "a secret of this test, long and random" });
    cleanUps.push(web.stop);
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    await settle(web.devnet);
    const { client, contract, tokens } = web.devnet;
    const [token] = tokens;
    if (token === undefined) throw new Error("the demo has a token");
    const admin = testAccount(ACCOUNT_INDEX.admin).address;
    await fund({ client, contract, admin }, token, payer.address, parseUnits("1000", 6), 0n);
    await web.caughtUp();
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  /** The sample shop, whose origin is known before the plan is. */
  function openShop(): Shop {
    const opening = Promise.withResolvers<Awaited<ReturnType<typeof createShop>>>();
    const fetch = async (request: Request) => (await opening.promise)(request);
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
    cleanUps.push(() => server.stop(true));
    const origin = `http://localhost:${server.port}`;
    return {
      origin,
      async sell(subscription) {
        const { url: service, rpcUrl, chainId } = web.facts;
        const secret = "a secret of this shop, long and random";
        const plan = { origin, service, rpcUrl, chainId, subscription, secret, endsWithinSeconds: ENDS_WITHIN_SECONDS };
        opening.resolve(await createShop(plan));
      },
    };
  }

  /** The text that was copied last. */
  const paste = async (page: Page) => String(await page.evaluate("navigator.clipboard.readText()"));

  test.each(journeys)(
    "a stranger who starts at /app on $device has a plan and a working button on the sample shop within 5 clicks and 3 minutes; who pays reads on, until what was paid ends",
    async ({ device, account, viewport, hasFrame }) => {
      // While remit() is late, the checkout knows which late days miss the plan; the preview counts them all.
      await settle(web.devnet);
      await web.caughtUp();
      const shop = openShop();
      const { page, context, wallet, faults } = await openPage(browser, web, { account });
      await page.setViewportSize(viewport);
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      const clicks: string[] = [];
      const click = async (name: string, target: Locator) => {
        await target.click();
        clicks.push(name);
      };
      const startedAt = performance.now();

      await page.goto(`${web.url}/app`);
      await click("Sell a subscription", page.getByRole("link", { name: "Sell a subscription" }));
      await page.getByLabel("Name").fill("Letters from the coast");
      await page.getByLabel("Price").fill("4.20");
      const preview = page.getByRole("region", { name: "What payers see" });
      await preview.getByRole("heading", { name: "Letters from the coast" }).waitFor();
      const terms = await preview.locator("dl").textContent();
      await click("Create the plan", page.getByRole("button", { name: "Create the plan" }));
      await page.getByRole("textbox", { name: "Your site" }).fill(`${shop.origin}/letters?from=typing`);
      await click("Allow this site", page.getByRole("button", { name: "Allow this site" }));
      await page.getByRole("list", { name: "Allowed" }).getByText(shop.origin).waitFor();
      await click("Copy", page.getByRole("button", { name: "Copy the code of the button" }));
      const code = await paste(page);
      const id = /subscription="(0x[0-9a-f]{64})"/.exec(code)?.[1];
      if (!isHex(id)) throw new Error(`the code names no plan: ${code}`);
      expect(code).toContain(`<script src="${web.url}/pay.js" async></script>`);
      await shop.sell(id);
      faults.length = 0;
      await page.goto(shop.origin);
      const opened = hasFrame ? null : context.waitForEvent("page");
      await click("the shop's button", page.getByRole("button", { name: "Subscribe to read on" }));
      const checkout = (await opened) ?? page.frameLocator('iframe[title="Checkout"]');
      await checkout.getByRole("heading", { name: "Letters from the coast" }).waitFor();

      const ms = performance.now() - startedAt;
      console.log(
        `from /app to a button on a shop, on ${device}: ${clicks.length} clicks, ${(ms / 1000).toFixed(1)} s`,
      );
      expect(clicks).toEqual([
        "Sell a subscription",
        "Create the plan",
        "Allow this site",
        "Copy",
        "the shop's button",
      ]);
      expect(clicks.length).toBeLessThanOrEqual(MOST_CLICKS);
      expect(ms).toBeLessThan(MOST_MS);
      // The preview has shown what the checkout shows.
      expect(await checkout.locator("dl").textContent()).toBe(terms);
      expect(wallet.requests.filter((method) => /send|sign/i.test(method))).toEqual([
        "eth_sendTransaction",
        "personal_sign",
      ]);
      await context.close();

      if (!hasFrame) return;
      const other = await openPage(browser, web, { account: payer, batches: true });
      await other.page.goto(shop.origin);
      await other.page.getByRole("button", { name: "Subscribe to read on" }).click();
      const paying = other.page.frameLocator('iframe[title="Checkout"]');
      await paying.getByRole("button", { name: "Choose a wallet" }).click();
      await paying.getByRole("button", { name: other.wallet.name }).click();
      await paying.getByRole("button", { name: /^Pay .* and subscribe$/ }).click();
      await other.page.waitForURL(`${shop.origin}/members`);
      await other.page.getByText(payer.address).waitFor();
      const { entitled } = await createDueday({ baseUrl: web.url }).getEntitlement({ id, account: payer.address });
      expect(entitled).toBe(true);

      await other.page.goto(`${web.url}/app/subscriptions/${id}`);
      // The wallet knows this origin from the checkout, and connects by itself.
      await other.page.getByRole("banner").getByRole("button", { name: /^0x/ }).waitFor();
      await other.page.getByRole("button", { name: "Unsubscribe" }).click();
      await other.page.getByRole("button", { name: "End my subscription" }).click();
      await other.page.getByText("You are no longer subscribed.").first().waitFor();
      // What was paid lasts beyond that; the chain's clock then passes its end.
      await other.page.goto(`${shop.origin}/members`);
      await other.page.getByText(payer.address).waitFor();
      await web.travel(40);
      await waitUntil("the shop's page is closed", async () => {
        await other.page.goto(`${shop.origin}/members`);
        return other.page.url() === `${shop.origin}/`;
      });
      await other.context.close();
    },
  );

  test("without a wallet both doors work: a plan can be filled in and previewed, and what an address pays is shown", async () => {
    const { page, context, faults } = await openPage(browser, web, { account: stranger, isAnnounced: false });
    await page.goto(`${web.url}/app`);
    await page.getByRole("link", { name: "Sell a subscription" }).click();
    await page.getByLabel("Name").fill("A plan");
    await page.getByLabel("Price").fill("3");
    await page.getByRole("region", { name: "What payers see" }).getByText("3.00").first().waitFor();
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    await page.getByText("No wallet found").waitFor();
    await page.goto(`${web.url}/app`);
    await page.getByLabel("Address of a wallet").fill("0x12");
    await page.getByRole("button", { name: "What it pays" }).click();
    await page.getByText("must be an address: 0x followed by 40 hex digits").waitFor();
    await page.getByLabel("Address of a wallet").fill(payer.address);
    await page.getByRole("button", { name: "What it pays" }).click();
    await page.waitForURL(`${web.url}/app/my?account=${payer.address}`);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("with several wallets the form asks which one, and keeps what was typed", async () => {
    const { page, context } = await openPage(browser, web, { account: stranger });
    await injectWallet(context, { account: payer, rpcUrl: web.devnet.url, name: "Other Wallet" });
    await page.goto(`${web.url}/app/sell`);
    await page.getByLabel("Name").fill("Letters");
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Other Wallet" }).click();
    await page.getByRole("button", { name: "Create the plan" }).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Letters");
    await context.close();
  });

  test("one click connects the only wallet, has it switch its chain, and signs; after a rejection nothing typed is lost", async () => {
    const { page, context, wallet } = await openPage(browser, web, { account: stranger });
    wallet.setChain(1);
    await page.goto(`${web.url}/app/sell`);
    await page.getByLabel("Name").fill("Letters, weekly");
    await page.getByLabel("Price").fill("1");
    await page.getByLabel("Period").selectOption("each week");
    await page.getByLabel("Day", { exact: true }).selectOption("Friday");
    wallet.rejectNext();
    await page.getByRole("button", { name: "Create the plan" }).click();
    await page.getByRole("alert").filter({ hasText: "Rejected in the wallet" }).waitFor();
    expect(wallet.requests).not.toContain("eth_sendTransaction");
    await page.getByRole("button", { name: "Create the plan" }).click();
    await page.waitForURL(/\/app\/subscriptions\/0x/);
    await page.getByRole("region", { name: "Share the checkout" }).waitFor();
    expect(wallet.requests).toContain("wallet_switchEthereumChain");
    await page.getByText("each Friday").waitFor();
    await context.close();
  });

  test("where the portal is switched off, the owner's page names that, and its link and button stay", async () => {
    const [plan] = (await createDueday({ baseUrl: web.url }).getAccount({ address: stranger.address })).created;
    const { page, context, open } = await openPage(browser, web, { account: stranger });
    await page.route("**/portal/**", (route) =>
      route.fulfill({ status: 404, json: { code: "PORTAL_DISABLED", error: "The portal is switched off" } }),
    );
    await open(`/subscriptions/${plan?.subscription.id}`);
    await page.getByRole("textbox", { name: "Your site" }).fill("https://shop.example");
    await page.getByRole("button", { name: "Allow this site" }).click();
    await page.getByRole("alert").filter({ hasText: "The developer portal is switched off" }).waitFor();
    await page.getByRole("button", { name: "Copy the code of the button" }).waitFor();
    await context.close();
  });

  test("what was typed wrong is named at its field, with what is allowed and what to do, before a wallet is asked", async () => {
    const { page, context, wallet } = await openPage(browser, web, { account: stranger });
    await page.goto(`${web.url}/app/sell`);
    await page.getByLabel("Price").fill("4,20");
    await page.getByRole("button", { name: "Create the plan" }).click();
    const about = async (label: string) => {
      const input = page.getByLabel(label);
      const fault = page.locator(`[id="${await input.getAttribute("aria-describedby")}"] p`).first();
      return [await input.getAttribute("aria-invalid"), await fault.textContent()];
    };
    expect(await about("Name")).toEqual([
      "true",
      'Name must have 1 to 60 characters. Type what payers will see, such as "The Coast, for readers".',
    ]);
    const [isInvalid, fault] = await about("Price");
    expect([isInvalid, fault]).toEqual([
      "true",
      expect.stringMatching(/^Price must be a number of \w+ with at most 6/),
    ]);
    expect(await page.evaluate("document.activeElement.name")).toBe("name");
    await page.getByLabel("Price").fill("4.20");
    expect((await about("Price"))[0]).toBe("false");
    expect(wallet.requests.filter((method) => /send|sign|requestAccounts/i.test(method))).toEqual([]);
    await context.close();
  });

  test("the owner of a plan adds and removes sites and return pages, and what is not allowed is named at the field", async () => {
    const [plan] = (await createDueday({ baseUrl: web.url }).getAccount({ address: stranger.address })).created;
    if (plan === undefined) throw new Error("the first test creates a plan");
    const { page, context, open, wallet } = await openPage(browser, web, { account: stranger });
    await open(`/subscriptions/${plan.subscription.id}`);
    const allowed = page.getByRole("list", { name: "Allowed" });
    await page.getByRole("textbox", { name: "Your site" }).fill("http://shop.example");
    await page.getByRole("button", { name: "Allow this site" }).click();
    await page.getByText("Your site must be an https origin").waitFor();
    await page.getByRole("textbox", { name: "Your site" }).fill("https://shop.example/cart");
    await page.getByRole("button", { name: "Allow this site" }).click();
    await allowed.getByText("https://shop.example").waitFor();
    await page.getByText("Send payers back by a link").click();
    await page.getByLabel("Return page").fill("https://shop.example/thanks");
    await page.getByRole("button", { name: "Allow this page" }).click();
    await allowed.getByText("https://shop.example/thanks").waitFor();
    await page.getByRole("button", { name: "Remove https://shop.example", exact: true }).click();
    await allowed.getByText("https://shop.example", { exact: true }).waitFor({ state: "detached" });
    await allowed.getByText("https://shop.example/thanks").waitFor();
    await page.getByText("Support page, and network fees that you pay").click();
    const support = page.getByLabel("Support page");
    await support.fill("http://shop.example/help");
    await page.getByRole("button", { name: "Save support page" }).click();
    await page.getByText("Support page must be an https URL").waitFor();
    await support.fill("https://shop.example/help");
    await page.getByRole("button", { name: "Save support page" }).click();
    const stored = async () =>
      (await createDueday({ baseUrl: web.url }).getCheckout({ id: plan.subscription.id })).supportUrl;
    await waitUntil("the support page is stored", async () => (await stored()) === "https://shop.example/help");
    await support.fill("");
    await page.getByRole("button", { name: "Save support page" }).click();
    await waitUntil("the support page is removed", async () => (await stored()) === null);
    await allowed.getByText("https://shop.example/thanks").waitFor();
    // Signed in once, for all of it.
    expect(wallet.requests.filter((method) => method === "personal_sign")).toEqual(["personal_sign"]);
    await context.close();
  });

  test("the doors, the form and the owner's page fit a phone and a desktop, light and dark, without an axe fault", async () => {
    const [plan] = (await createDueday({ baseUrl: web.url }).getAccount({ address: stranger.address })).created;
    const { page, context, open, faults } = await openPage(browser, web, { account: stranger });
    await open("/");
    for (const path of ["/", "/sell", `/subscriptions/${plan?.subscription.id}`]) {
      await page.goto(`${web.url}/app${path}`);
      await page.locator("main h2").first().waitFor();
      await untilLoaded(page);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const size of WINDOWS) {
          await page.setViewportSize(size);
          expect({ path, colorScheme, ...size, axe: await findAxeFaults(page) }).toEqual({
            path,
            colorScheme,
            ...size,
            axe: [],
          });
          expect({ path, ...size, layout: await findLayoutFaults(page) }).toEqual({ path, ...size, layout: [] });
        }
      }
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
