import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { demo as demoScenario } from "@dueday/devnet/scenarios/demo";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser, BrowserContext, Page, Response } from "playwright-core";
import { findAxeFaults } from "./findAxeFaults";
import { findLayoutFaults } from "./findLayoutFaults";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { applyState, type WebState, webStates } from "./webStates";
import { untilLoaded } from "./webViews";

/** Pages that need no wallet and no session. */
const readingPages = {
  start: "",
  calendar: "/calendar",
  backlog: "/keepers",
  settle: "/keepers?tab=settle",
  status: "/status",
} as const;
const names = Object.keys(readingPages) as (keyof typeof readingPages)[]; // its own
const FIRST_LOAD_BYTES = 300_000;
const TIMEOUT_MS = 60_000;
/** No block is mined while the pages are read: figures would become stale. */
const LONG_FRESH = { STALE_AFTER_MS: "3600000" };

describe.if(ensureBrowser())("a reading page of the web app", () => {
  let demo: WebDemo;
  let browser: Browser;
  const open: BrowserContext[] = [];

  beforeAll(async () => {
    [demo, browser] = await Promise.all([startWebDemo(demoScenario, LONG_FRESH), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  // An address may hold three event streams.
  afterEach(async () => {
    for (const context of open.splice(0)) await context.close();
  });

  type Opened = { page: Page; responses: Response[]; faults: string[] };
  type View = { state?: WebState; context?: BrowserContext };

  const newContext = (width = 1280) =>
    browser.newContext({ viewport: { width, height: 900 }, colorScheme: "light", reducedMotion: "reduce" });

  /** Opens a path below /app and waits for its content. `faults`: what the browser reports, and requests to another origin. */
  async function visit(path: string, { state, context }: View = {}): Promise<Opened> {
    const own = context ?? (await newContext());
    if (context === undefined) open.push(own);
    own.setDefaultTimeout(TIMEOUT_MS);
    const page = await own.newPage();
    const faults: string[] = [];
    const responses: Response[] = [];
    page.on("response", (response) => responses.push(response));
    page.on("pageerror", ({ message }) => faults.push(message));
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of (?:4|5)\d\d/.test(message.text())) faults.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(`${demo.url}/`)) faults.push(`request to ${request.url()}`);
    });
    await applyState(page, state ?? null);
    await page.goto(`${demo.url}/app${path}`);
    await untilLoaded(page);
    return { page, responses, faults };
  }

  test("shows the totals of the plan and of the forecast exactly as the API has them", async () => {
    const dueday = createDueday({ baseUrl: demo.url });
    const { totals } = await dueday.getRemitReadiness();
    const { days } = await dueday.getRemitForecast();
    const { page } = await visit("/keepers");
    const foot = page.getByRole("region", { name: "Transactions of the plan" }).locator("tfoot td");
    await foot.first().waitFor();
    const cells = await foot.allTextContents();
    const fees = totals.callerFees.map(({ amount, symbol }) => [amount, symbol]);
    expect([cells[3], cells[4], cells[5]]).toEqual(
      [totals.payments, totals.failures, Number(totals.gasUsed)].map((figure) => figure.toLocaleString("en")),
    );
    const shownFees = await page.evaluate<string[][]>(
      "[...document.querySelectorAll('[aria-label=\"Transactions of the plan\"] tfoot li')].map((item) => [item.querySelector('span[title]').title, item.querySelector('bdi').textContent])",
    );
    expect(shownFees).toEqual(fees);

    await page.getByText("Show the days as a table").click();
    await page.getByRole("region", { name: "Forecast by day" }).locator("tbody tr").first().waitFor();
    const figures = await page.evaluate<number[][]>(
      "[...document.querySelectorAll('[aria-label=\"Forecast by day\"] tbody tr')].map((row) => [...row.cells].slice(1, 5).map((cell) => Number(cell.textContent)))",
    );
    const expected = days
      .filter(({ payments }) => payments > 0)
      .map((day) => [day.subscriptions, day.payments, day.expectedFailures, day.transactions]);
    expect(figures).toEqual(expected);
    const chart = await page.getByRole("figure", { name: /next 35 days/ }).getAttribute("aria-label");
    const sum = (name: "payments" | "expectedFailures") => days.reduce((all, day) => all + day[name], 0);
    const failing = sum("expectedFailures") === 0 ? "none" : sum("expectedFailures");
    expect(chart).toContain(`${sum("payments")} payments, ${failing} of them expected to fail`);
    expect(sum("payments")).toBeGreaterThan(0);
  });

  test("shows what will be paid now in each token exactly as the API has it", async () => {
    const { byToken = [] } = (await createDueday({ baseUrl: demo.url }).getRemitReadiness()).totals;
    const { page } = await visit("/keepers");
    const open = page.getByRole("region", { name: "Open now" }).locator("dl > div").filter({ hasText: "Will be paid" });
    const shown = await open.locator("li").all();
    const amounts = shown.map(async (each) => [
      await each.locator("span[title]").getAttribute("title"),
      await each.locator("bdi").textContent(),
    ]);
    expect(await Promise.all(amounts)).toEqual(byToken.map(({ amount, symbol }) => [amount, symbol]));
    expect(byToken.length).toBeGreaterThan(1);
  });

  describe.each(names)("%s", (name) => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await visit(readingPages[name], { context: await newContext() });
    });
    afterAll(() => opened.page.context().close());

    test("loads with one expensive and six cheap requests at most, and less than 300 kB of compressed code", async () => {
      const { responses } = opened;
      const policies = responses.map((response) => response.headers()["ratelimit-policy"] ?? "");
      const expensive = policies.filter((policy) => policy.includes('"expensive"')).length;
      const counted = policies.filter((policy) => policy.includes('"global"')).length;
      const asked = responses
        .map((response) => new URL(response.url()).pathname)
        .filter((path) => !path.startsWith("/app"));
      expect([expensive <= 1, counted - expensive <= 6, asked]).toEqual([true, true, asked]);
      const files = responses.filter((response) => new URL(response.url()).pathname.startsWith("/app"));
      let bytes = 0;
      for (const response of files) bytes += Bun.gzipSync(new Uint8Array(await response.body())).length;
      expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
      if (name === "backlog")
        console.log(`first load: ${(bytes / 1000).toFixed(0)} kB gzip; ${await largestPaint(responses)}`);
    });

    test.each([
      ["light", 1280],
      ["dark", 360],
    ] as const)("in %s, %d px wide, fits, is accessible and breaks no rule of its policy", async (theme, width) => {
      const { page, faults } = opened;
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: 900 });
      expect(await findAxeFaults(page)).toEqual([]);
      expect(await findLayoutFaults(page)).toEqual([]);
      expect(faults).toEqual([]);
    });
  });

  async function largestPaint([first]: Response[]): Promise<string> {
    const page = first?.frame().page();
    const time = await page?.evaluate<number>(
      "new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))",
    );
    return `largest paint after ${Math.round(time ?? 0)} ms`;
  }

  test("shows in words that the service is stale, has an error or limits it, without an axe fault", async () => {
    const words = {
      stale: "These figures are old",
      error: "Could not load the plan",
      limited: "You have reached the request limit",
    };
    const context = await newContext(360);
    open.push(context);
    for (const state of webStates) {
      const { page, faults } = await visit("/keepers", { state, context });
      await page.getByText(words[state]).first().waitFor();
      expect([state, await findAxeFaults(page)]).toEqual([state, []]);
      expect([state, faults]).toEqual([state, []]);
      await page.close();
    }
  });

  test("asks twice for a plan that can't be read, and shows the parts that do not need it", async () => {
    const context = await browser.newContext();
    open.push(context);
    await context.clock.install();
    const { page, responses } = await visit("/keepers?tab=settle", { state: "error", context });
    const settle = page.getByRole("region", { name: "Settle as a keeper" });
    await settle.getByText("Could not load the plan").waitFor();
    await page.getByRole("region", { name: "Run a keeper" }).waitFor();
    await context.clock.runFor(2_000);
    expect(responses.filter((response) => response.url().includes("/remit/readiness")).length).toBe(2);
  });

  test("counts down after a 429, then loads by itself", async () => {
    const context = await browser.newContext();
    open.push(context);
    await context.clock.install();
    const { page } = await visit("/keepers", { state: "limited", context });
    await page
      .getByText(/Trying again in (?:40|3\d) s/)
      .first()
      .waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await context.clock.fastForward(41_000);
    await page.getByRole("region", { name: "Transactions of the plan" }).waitFor();
  });

  test("opens one event stream for all tabs, and the next tab follows when the first is closed", async () => {
    const context = await browser.newContext();
    open.push(context);
    const first = await visit("/status", { context });
    const second = await visit("/status", { context });
    for (const { page } of [first, second]) await page.getByRole("banner").getByText("Live").waitFor();
    expect(
      [first, second].map(({ responses }) => responses.filter((response) => response.url().includes("/events")).length),
    ).toEqual([1, 0]);
    const followed = second.page.waitForResponse((response) => new URL(response.url()).pathname === "/events");
    await first.page.close();
    expect((await followed).status()).toBe(200);
  });

  test("is reached by keyboard: the skip link, the pages in order, and the focus on the page that was opened", async () => {
    const { page } = await visit("");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    await page.getByRole("link", { name: "Calendar" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Calendar" }).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    expect(await page.title()).toBe("Calendar · Dueday");
  });
});
