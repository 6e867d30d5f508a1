import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { demo } from "@dueday/devnet/scenarios/demo";
import { cancelledPlan, demoPlans, failingPayers } from "@dueday/devnet/scenarios/demoPlans";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { startTcpProxy, type TcpProxy } from "@dueday/test-support/startTcpProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { parse } from "csv-parse/sync";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { toHex } from "viem";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { untilLoaded, viewsProvider } from "./webViews";

setDefaultTimeout(240_000);

const TIMEOUT_MS = 60_000;
/** Where nothing listens. */
const CLOSED_PORT = 1;
const NOTICED_WITHIN_MS = 10_000;
/** No block is mined while the pages are read: figures would become stale. */
const LONG_FRESH = { STALE_AFTER_MS: "3600000" };
const reader = testAccount(ACCOUNT_INDEX.firstSubscriber + failingPayers.balance[0].subscriber);
const developer = testAccount(ACCOUNT_INDEX.firstSubscriber + 5);

describe.if(ensureBrowser())("a page of the web app", () => {
  let web: WebDemo;
  let browser: Browser;
  /** In front of the service, so that it can be taken away. */
  let proxy: TcpProxy;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    [web, browser] = await Promise.all([
      startWebDemo(demo, { ...LONG_FRESH, SECRETS_KEY: "ab".repeat(32) }),
      openBrowser(),
    ]);
    proxy = await startTcpProxy();
    comeBack();
  });
  afterAll(async () => {
    await browser?.close();
    await proxy?.stop();
    await web?.stop();
  });
  // An address may hold three event streams.
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });

  const proxied = () => `http://127.0.0.1:${proxy.port}`;
  const comeBack = () => proxy.pointAt(Number(new URL(web.url).port));
  const goAway = () => {
    proxy.pointAt(CLOSED_PORT);
    proxy.cut();
  };

  async function newPage(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    context.setDefaultTimeout(TIMEOUT_MS);
    contexts.push(context);
    return context.newPage();
  }

  async function visit(path: string, url = web.url): Promise<Page> {
    const page = await newPage();
    await page.goto(`${url}/app${path}`);
    await untilLoaded(page);
    return page;
  }

  async function withWallet(account: typeof reader) {
    const opened = await openPage(browser, web, { account });
    contexts.push(opened.context);
    return opened;
  }

  test("shows in its header a wallet that was connected by another part of it", async () => {
    const { page, wallet } = await withWallet(reader);
    await page.goto(`${web.url}/app/developers`);
    await page
      .getByRole("main")
      .getByRole("button", { name: `Connect ${wallet.name}` })
      .click();
    await page
      .getByRole("main")
      .getByRole("button", { name: /^Sign in as/ })
      .waitFor();
    await page.getByRole("banner").getByRole("button", { name: /^0x/ }).waitFor({ timeout: NOTICED_WITHIN_MS });
  });

  test("is no longer live within 10 s of the service's end, in every tab, and is live again when the service is back", async () => {
    const page = await visit("/status", proxied());
    const other = await page.context().newPage();
    await other.goto(`${proxied()}/app/status`);
    const badges = [page, other].map((each) => each.getByRole("banner").getByRole("link", { name: /live/i }));
    const shows = (text: string, timeout: number) =>
      Promise.all(badges.map((badge) => badge.getByText(text, { exact: true }).waitFor({ timeout })));
    await shows("Live", TIMEOUT_MS);
    const endedAt = performance.now();
    goAway();
    try {
      await shows("Not live", NOTICED_WITHIN_MS);
      console.log(`not live ${Math.round(performance.now() - endedAt)} ms after the service's end`);
    } finally {
      comeBack();
    }
    await shows("Live", TIMEOUT_MS);
  });

  test("that loses its network is no longer live, and is live again when it is back", async () => {
    const page = await visit("/status");
    const badge = page.getByRole("banner").getByRole("link", { name: /live/i });
    await badge.getByText("Live", { exact: true }).waitFor();
    await page.context().setOffline(true);
    await badge.getByText("Not live", { exact: true }).waitFor({ timeout: NOTICED_WITHIN_MS });
    await page.context().setOffline(false);
    await badge.getByText("Live", { exact: true }).waitFor();
  });

  test("that is opened while the service is away is an error with a retry, and what was typed on the page before is there", async () => {
    const page = await visit("/sell", proxied());
    await page.getByLabel("Name").fill("Letters from the coast");
    await page.getByLabel("Price").fill("4.20");
    goAway();
    const failed = page.getByRole("alert").filter({ hasText: "Could not load the page" });
    try {
      await page.getByRole("link", { name: "Keepers" }).click();
      await failed.waitFor();
      expect(new URL(page.url()).pathname).toBe("/app/keepers");
      await failed.getByRole("button", { name: "Try again" }).click();
      await failed.waitFor();
      // A part that is loaded on demand neither takes the rest of the page with it.
      await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).waitFor();
      await page.goBack();
      await page.getByLabel("Name").waitFor();
      expect([await page.getByLabel("Name").inputValue(), await page.getByLabel("Price").inputValue()]).toEqual([
        "Letters from the coast",
        "4.20",
      ]);
      await page.goForward();
      await failed.waitFor();
    } finally {
      comeBack();
    }
    await failed.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "Keepers" }).waitFor();
    await page.getByRole("link", { name: "Home" }).click();
    await page.goBack();
    await page.goto(`${proxied()}/app/sell`);
    expect(await page.getByLabel("Name").inputValue()).toBe("Letters from the coast");
  });

  test("of a chain that is not served lists the chains that are, each with a link", async () => {
    const page = await newPage();
    for (const path of ["", "/keepers"]) {
      const answer = await page.goto(`${web.url}/app${path}?chainId=999`);
      expect([answer?.status(), answer?.headers()["content-type"]]).toEqual([200, "text/html;charset=utf-8"]);
      await page.getByRole("heading", { level: 1, name: "Chain 999 is not served here" }).waitFor();
      await page.getByRole("link", { name: "Devnet" }).click();
      await page.getByRole("banner").waitFor();
      expect(new URL(page.url()).search).toBe("");
    }
  });

  test("of a session that has ended returns to signing in, and names the reason", async () => {
    const { page, context, open } = await withWallet(developer);
    await open("/developers");
    await page.getByRole("button", { name: /^Sign in as/ }).click();
    await page.getByRole("button", { name: "Create key" }).waitFor();
    await context.clearCookies();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").filter({ hasText: "Your session has ended" }).waitFor();
    await page.getByRole("button", { name: /^Sign in as/ }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("button", { name: /^Sign in as/ }).waitFor();
    expect(await page.getByText("Your session has ended").count()).toBe(0);
  });

  test("of a provider's subscribers at risk names payments that are overdue", async () => {
    const page = await visit(`/providers/${viewsProvider.address}?tab=at-risk`);
    const { atRisk } = await createDueday({ baseUrl: web.url }).listAtRisk({ address: viewsProvider.address });
    const { timestamp } = await web.devnet.client.getBlock();
    const today = new Date(Number(timestamp) * 1000).toISOString().slice(0, 10);
    const overdue = atRisk.filter(({ failsOn }) => failsOn !== null && failsOn < today).length;
    expect(overdue).toBeGreaterThan(0);
    const table = page.getByRole("region", { name: "Subscribers at risk" });
    expect(await table.getByText(/^overdue since \d/).count()).toBe(overdue);
  });

  test("of a cancelled plan counts who is left as no payers, and no revenue", async () => {
    const id = web.devnet.subscriptions[cancelledPlan] ?? "0x";
    const dueday = createDueday({ baseUrl: web.url });
    const { count } = await dueday.getSubscribers({ id });
    expect(count).toBeGreaterThan(0);
    const seller = demoPlans.find(({ key }) => key === cancelledPlan)?.provider ?? 0;
    const { page, open } = await withWallet(testAccount(ACCOUNT_INDEX.firstProvider + seller));
    await open(`/subscriptions/${id}`);
    const figures = page.getByRole("region", { name: "Figures" }).locator("dl > div");
    await figures.filter({ hasText: `${count}on its list; none of them pays any more` }).waitFor();
    expect(await page.getByText(/who pay now|if each of them pays/).count()).toBe(0);
    await page.getByText("none of its subscribers is charged any more").waitFor();
    expect(await page.getByText("No payment of these subscribers fails").count()).toBe(0);
    const { address } = testAccount(ACCOUNT_INDEX.firstProvider + seller);
    const { created } = await dueday.getAccount({ address, first: 200 });
    const going = created.filter(({ subscription }) => !subscription.cancelled);
    await page.goto(`${web.url}/app/providers/${address}?tab=subscriptions`);
    const totals = page.getByRole("region", { name: "Subscriptions of this provider" }).locator("tfoot td");
    await totals.getByText("All that are not cancelled").waitFor();
    const paying = going.reduce((sum, { totalSubscribers }) => sum + totalSubscribers, 0);
    expect(await totals.last().textContent()).toBe(String(paying));
  });

  test.each([
    ["/accounts/0x12", "“0x12” is not an address"],
    ["/providers/alice.eth", "“alice.eth” is not an address"],
    ["/subscriptions/0x12?tab=history", "“0x12” is not the id of a subscription"],
  ])(
    "%s names what is wrong with the address, offers no retry, and asks nothing of the service",
    async (path, words) => {
      const page = await newPage();
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${web.url}/app${path}`);
      await page.getByRole("alert").filter({ hasText: words }).waitFor();
      expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
      expect(asked.filter((each) => /^\/(?:accounts|providers|subscriptions)/.test(each))).toEqual([]);
    },
  );

  test("of a keeper knows no profit before prices are typed, keeps them, and settles as many pages as it advises", async () => {
    const { keeper } = web.devnet;
    const { page, open, wallet } = await withWallet(keeper);
    await open("/keepers?tab=settle");
    const profit = page.getByRole("region", { name: "Profit of each transaction" });
    const row = profit.getByRole("row").nth(1);
    await row.waitFor();
    const header = await profit.getByRole("columnheader").allTextContents();
    const cellsOf = async () => {
      const cells = await row.getByRole("cell").allTextContents();
      return ["Send", "Worth", "Net", "Net so far"].map((name) => cells[header.indexOf(name)]);
    };
    expect(await cellsOf()).toEqual(["unknown", "unknown", "unknown", "unknown"]);
    const dueday = createDueday({ baseUrl: web.url });
    const { totals, plan } = await dueday.getRemitReadiness();
    // One token is worth more than all gas, the others nothing: the last page that pays in it is the last one worth sending.
    const lastWith = totals.callerFees.map(({ token, symbol }) => {
      const pages = plan.transactions.map(({ callerFees }) => callerFees.some((fee) => fee.token === token));
      return { symbol, pages: pages.lastIndexOf(true) + 1 };
    });
    const [first] = lastWith.toSorted((a, b) => a.pages - b.pages);
    const advised = first?.pages ?? 0;
    expect(advised).toBeGreaterThan(1);
    expect(advised).toBeLessThan(totals.transactions);
    for (const { symbol } of totals.callerFees)
      await page.getByLabel(`1 ${symbol}`).fill(symbol === first?.symbol ? "1" : "0");
    await page.getByText(`Send the first ${advised} transactions`).waitFor();
    await page.reload();
    await page.getByText(`Send the first ${advised} transactions`).waitFor();
    expect(await page.getByLabel(`1 ${first?.symbol}`).inputValue()).toBe("1");
    expect((await cellsOf())[0]).toBe("yes");
    await page.getByRole("button", { name: `Settle the first ${advised} pages` }).click();
    await page.getByText(`${advised} pages are settled.`).waitFor();
    expect(wallet.requests.filter((method) => method === "eth_sendTransaction")).toHaveLength(advised);
    await web.caughtUp();
    expect((await dueday.getRemitReadiness()).totals.transactions).toBe(totals.transactions - advised);
  });

  test("of the portal adds a webhook for types by name, and for a provider, a plan and a subscriber, and shows a fault in a closed part of the form", async () => {
    const { page, open } = await withWallet(developer);
    await open("/developers");
    await page.getByRole("button", { name: /^Sign in as/ }).click();
    await page.getByLabel("URL of a new webhook").fill("https://93.184.216.34/hooks");
    await page.getByText("Only some events").click();
    await page.getByRole("checkbox", { name: "a payment failed" }).check();
    await page.getByRole("checkbox", { name: "an account left" }).check();
    const provider = page.getByLabel("Provider, or all");
    await provider.fill("0x12");
    // A fault in the closed part opens it, and its field has the focus, with the reason as its description.
    await page.getByText("Only some events").click();
    await provider.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add webhook" }).click();
    await provider.and(page.locator(":focus")).waitFor();
    const reason = page.locator(`[id="${await provider.getAttribute("aria-describedby")}"]`);
    await reason.getByText("Must be an address: 0x followed by 40 hex digits.").waitFor();
    await provider.fill(viewsProvider.address);
    await page.getByLabel("Plan, or all").fill(web.devnet.subscriptions.reader ?? "");
    await page.getByLabel("Subscriber, or all").fill(reader.address);
    await page.getByRole("button", { name: "Add webhook" }).click();
    await page.getByRole("button", { name: "I have stored it" }).click();
    const webhook = page.getByRole("region", { name: "Webhook to https://93.184.216.34/hooks" });
    await webhook.getByText("a payment failed, an account left").waitFor();
    const { webhooks } = await page.evaluate<{ webhooks: { types: string[]; filter: object }[] }>(
      "fetch('/webhooks').then((response) => response.json())",
    );
    expect(webhooks.map(({ types, filter }) => ({ types: types.toSorted(), filter }))).toEqual([
      {
        types: ["payment.failed", "subscription.unsubscribed"],
        filter: {
          provider: viewsProvider.address,
          subscription: web.devnet.subscriptions.reader,
          subscriber: reader.address,
        },
      },
    ]);
  });

  test.each([`/accounts/${reader.address}?tab=spending`, `/providers/${viewsProvider.address}?tab=income`])(
    "%s has a total only of a token with several periods",
    async (path) => {
      const page = await visit(path);
      for (const group of ["month", "day"]) {
        await page.getByLabel("Periods").selectOption(group);
        await untilLoaded(page);
        const rows = await cellsOf(page.getByRole("region", { name: "By period and token" }));
        const tokenOf = (row: string[]) => /\S+$/.exec(row.at(-1) ?? "")?.[0];
        const totals = rows.filter(([label]) => label === "Total").map(tokenOf);
        const periods = Map.groupBy(
          rows.filter(([label]) => label !== "Total"),
          tokenOf,
        );
        const several = [...periods].filter(([, listed]) => listed.length > 1).map(([token]) => token);
        expect(totals.toSorted()).toEqual(several.toSorted());
        expect(periods.size).toBeGreaterThan(0);
      }
    },
  );

  test("prints addresses and hashes whole, and every row of a long table", async () => {
    const page = await visit(`/accounts/${reader.address}?tab=activity`);
    const [event] = (await createDueday({ baseUrl: web.url }).getAccountActivity({ address: reader.address })).events;
    await page.emulateMedia({ media: "print" });
    const texts = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[aria-label="List of events"] tbody tr:first-child code')].map((code) => {
        const { content } = getComputedStyle(code, "::after");
        return content === "none" ? code.textContent : content.slice(1, -1);
      })`,
    );
    expect(texts).toContain(event?.transactionHash ?? "");
    expect(texts).toContain(event?.id ?? "");
    const paper = 720; // CSS pixels between the margins of A4, upright
    await page.setViewportSize({ width: paper, height: 1000 });
    const width = () => page.evaluate<number>("document.documentElement.scrollWidth");
    await waitUntil("the page fits the paper", async () => (await width()) <= paper);

    const { subscribers, ...answer } = await createDueday({ baseUrl: web.url }).getSubscribers({
      id: web.devnet.subscriptions.reader ?? "0x",
    });
    const many = Array.from({ length: 500 }, (_, index) => ({
      ...subscribers[0],
      subscriber: toHex(index, { size: 20 }),
    }));
    const long = await newPage();
    await long.route("**/subscribers?*", (route) =>
      route.fulfill({ json: { ...answer, subscribers: many, count: many.length } }),
    );
    await long.goto(`${web.url}/app/subscriptions/${web.devnet.subscriptions.reader}?tab=subscribers`);
    const rows = long.getByRole("region", { name: "Subscribers of this subscription" }).locator("tbody tr");
    await rows.first().waitFor();
    await untilLoaded(long);
    expect(await rows.count()).toBeLessThan(100);
    await long.evaluate(
      "addEventListener('beforeprint', () => (globalThis.printedRows = document.querySelectorAll('[aria-label=\"Subscribers of this subscription\"] tbody tr').length))",
    );
    await long.pdf();
    expect(await long.evaluate<number>("globalThis.printedRows")).toBe(500);
    await waitUntil("the table is as before", async () => (await rows.count()) < 100);
  });

  test("with a long list searches it, sorts it, and saves what it shows as CSV", async () => {
    const { subscribers, ...answer } = await createDueday({ baseUrl: web.url }).getSubscribers({
      id: web.devnet.subscriptions.reader ?? "0x",
    });
    const many = Array.from({ length: 30 }, (_, index) => ({
      ...subscribers[0],
      subscriber: toHex(index, { size: 20 }),
      coveredPayments: (index * 7) % 30,
    }));
    const page = await newPage();
    await page.route("**/subscribers?*", (route) =>
      route.fulfill({ json: { ...answer, subscribers: many, count: many.length } }),
    );
    await page.goto(`${web.url}/app/subscriptions/${web.devnet.subscriptions.reader}?tab=subscribers`);
    await page.getByLabel("Order").selectOption("Payments covered, descending");
    const list = page.getByRole("region", { name: "Subscribers of this subscription" });
    const covered = async () => (await cellsOf(list)).map((cells) => Number(cells[2]));
    expect(await covered()).toEqual(Array.from({ length: 30 }, (_, index) => 29 - index));
    await page.getByLabel("Search").fill(toHex(13, { size: 20 }).toUpperCase().replace("0X", "0x"));
    await page.getByText("1 of 30 listed").waitFor();
    expect(await covered()).toEqual([(13 * 7) % 30]);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const file = await Bun.file(await (await saved).path()).text();
    const lines: Record<string, string>[] = parse(file, { columns: true });
    expect(lines).toMatchObject([{ Subscriber: toHex(13, { size: 20 }), "Payments covered": String((13 * 7) % 30) }]);
    await page.getByLabel("Search").fill("nobody");
    await page.getByText("Nothing matches").waitFor();
  });

  test.each(["light", "dark"] as const)(
    "in %s shows placeholders that stand out from the card and the page",
    async (colorScheme) => {
      const page = await newPage();
      await page.emulateMedia({ colorScheme });
      await page.route("**/remit/*", () => new Promise(() => undefined));
      await page.goto(`${web.url}/app/keepers`);
      const line = page.getByRole("status", { name: "Loading the plan" }).locator("span").first();
      await line.waitFor();
      const colors = await page.evaluate<string[]>(
        `[document.querySelector('[aria-label="Loading the plan"] span'), document.body, document.querySelector("main section") ?? document.body]
          .map((each) => getComputedStyle(each).backgroundColor)`,
      );
      const [placeholder, ...grounds] = colors.map(luminance);
      for (const ground of grounds) expect(contrast(placeholder ?? 0, ground)).toBeGreaterThanOrEqual(1.3);
    },
  );
});

/** The texts of the cells of a table, row by row. */
async function cellsOf(table: Locator): Promise<string[][]> {
  const rows = await table.locator("tbody tr").all();
  return Promise.all(rows.map((row) => row.locator("td").allTextContents()));
}

/** Relative luminance of a colour as `rgb(…)`, as WCAG 2 defines it. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
