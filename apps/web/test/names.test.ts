import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser } from "playwright-core";
import { openPage, type WebPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { fullViews, showView, untilLoaded, viewsProvider } from "./webViews";

setDefaultTimeout(240_000);

/** Requests for names by view: the list of subscriptions has them in its own answer. */
const NAMED = {
  "calendar-day": 1,
  subscriptions: 0,
  subscription: 1,
  "subscription-history": 1,
  account: 1,
  "account-activity": 1,
  "account-statement": 1,
  provider: 1,
  "provider-subscriptions": 1,
};

describe.if(ensureBrowser())("plans and sellers have names in the web app", () => {
  let web: WebDemo;
  let browser: Browser;
  let own: WebPage;

  beforeAll(async () => {
    [web, browser] = await Promise.all([startWebDemo(demo), openBrowser()]);
    own = await openPage(browser, web, { account: viewsProvider });
    await own.open("/accounts");
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
  });

  /** Of the page that is open alone. A page that hears of an event asks the same again. */
  const requestsForNames = () =>
    own.page.evaluate(() => {
      const urls = performance.getEntriesByType("resource").map(({ name }) => name);
      return new Set(urls.filter((url) => new URL(url).pathname === "/names")).size;
    });

  test("a page asks at most once for all of its names, and shows each plan by its name with the id beside it", async () => {
    const { page, faults } = own;
    const { timestamp } = await web.devnet.client.getBlock();
    const today = new Date(Number(timestamp) * 1000).toISOString().slice(0, 10);
    const counts: Record<string, number> = {};
    for (const view of fullViews(web.devnet, today)) {
      if (!(view.name in NAMED)) continue;
      await showView(page, web.url, view);
      const link = page.locator('main td a[href*="/subscriptions/0x"]:has(bdi)');
      const heading = page.getByRole("heading", { level: 1, name: /^(?!Subscription$|Provider$)/ });
      const isHeaded = view.path.startsWith("/subscriptions/") || view.name === "provider";
      await (isHeaded ? heading : link.first()).waitFor();
      counts[view.name] = await requestsForNames();
    }
    expect(counts).toEqual(NAMED);
    expect(faults).toEqual([]);
  });

  test("a seller's home is headed by the seller's name, whether a domain confirms it, and the address", async () => {
    const { page } = own;
    const { address } = viewsProvider;
    const { providers } = await createDueday({ baseUrl: web.url }).getNames({ provider: [address] });
    const seller = providers[0]?.seller;
    await page.goto(`${web.url}/app/providers/${address}`);
    await page.getByRole("heading", { level: 1, name: seller?.name ?? "?", exact: true }).waitFor();
    const header = page.locator("main header").first();
    await header.getByText(seller?.verified ? "verified" : "unverified", { exact: true }).waitFor();
    expect(await header.textContent()).toContain(address.slice(0, 6));
  });

  test("a plan's page is headed by the plan's name, with the seller and the id below it", async () => {
    const { page } = own;
    const id = web.devnet.subscriptions.reader ?? "0x";
    const { plans } = await createDueday({ baseUrl: web.url }).getNames({ id: [id] });
    const [plan] = plans;
    await showView(page, web.url, {
      name: "plan",
      path: `/subscriptions/${id}?tab=history`,
      text: "provider was paid",
    });
    await page.getByRole("heading", { level: 1, name: plan?.planName ?? "?", exact: true }).waitFor();
    const header = (await page.locator("main header").first().textContent()) ?? "";
    expect(header).toContain(plan?.seller.name ?? "?");
    expect(header).toContain(id.slice(0, 6));
  });

  test.each(["subscriptions", "at-risk"])(
    "the part %s of a seller's home is headed by the seller's name too",
    async (part) => {
      const { page } = own;
      const { address } = viewsProvider;
      const { providers } = await createDueday({ baseUrl: web.url }).getNames({ provider: [address] });
      await page.goto(`${web.url}/app/providers/${address}?tab=${part}`);
      await page.getByRole("heading", { level: 1, name: providers[0]?.seller.name ?? "?", exact: true }).waitFor();
    },
  );

  test("every part of the home of a seller without plans is headed by the seller's name, by one request for names", async () => {
    const { client, contract } = web.devnet;
    const from = testAccount(ACCOUNT_INDEX.keeper).address;
    const texts = { description: "", url: "", domain: "", email: "", misc: "" };
    await send(client, { from, to: contract, data: encodeEditProvDetails({ ...texts, company: "Nothing yet" }) });
    await web.caughtUp();
    for (const part of ["business", "income", "subscriptions", "at-risk", "profile"]) {
      await own.page.goto(`${web.url}/app/providers/${from}?tab=${part}`);
      await own.page.getByRole("heading", { level: 1, name: "Nothing yet", exact: true }).waitFor();
      await untilLoaded(own.page);
      expect([part, await requestsForNames()]).toEqual([part, 1]);
    }
  });

  test("the title of the browser's tab is the page's, after the part that is shown where it is not the first", async () => {
    const { page } = own;
    const { address } = viewsProvider;
    const { providers } = await createDueday({ baseUrl: web.url }).getNames({ provider: [address] });
    const path = `/providers/${address}`;
    await showView(page, web.url, { name: "provider", path, text: "Monthly recurring revenue" });
    await page.getByRole("heading", { level: 1, name: providers[0]?.seller.name ?? "?", exact: true }).waitFor();
    expect(await page.title()).toBe(`${providers[0]?.seller.name} · Dueday`);
    await page.getByRole("link", { name: "Income", exact: true }).click();
    await page.waitForFunction(`document.title === "Income · ${providers[0]?.seller.name} · Dueday"`);
  });
});
