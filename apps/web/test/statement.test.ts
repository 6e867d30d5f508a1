import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { demo } from "@dueday/devnet/scenarios/demo";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { parse } from "csv-parse/sync";
import type { Browser, Page } from "playwright-core";
import { findLayoutFaults } from "./findLayoutFaults";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { showView } from "./webViews";

setDefaultTimeout(240_000);

/** Pays for two subscriptions of the demo. */
const account = testAccount(ACCOUNT_INDEX.firstSubscriber + 12);
/** An A4 page at 96 dots an inch, without its margins. */
const PAPER = { width: 718, height: 1_046 };

describe.if(ensureBrowser())("what an account takes with it", () => {
  let web: WebDemo;
  let browser: Browser;
  const cleanUps: (() => Promise<unknown>)[] = [];
  const dueday = () => createDueday({ baseUrl: web.url });

  beforeAll(async () => {
    web = await startWebDemo(demo);
    cleanUps.push(web.stop);
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    await settle(web.devnet);
    await web.caughtUp();
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  /** Saves what a button downloads. */
  async function download(page: Page): Promise<{ name: string; rows: Record<string, string>[] }> {
    const arriving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const file = await arriving;
    const text = await readFile(await file.path(), "utf8");
    return { name: file.suggestedFilename(), rows: parse(text, { columns: true, bom: true }) };
  }

  test("a statement is printed with every event and the API's totals, without what is only for the screen, and fits on paper", async () => {
    const { page, faults } = await openPage(browser, web, { account });
    const path = `/accounts/${account.address}?tab=statement`;
    await showView(page, web.url, { name: "statement", path, text: "Show the statement" });
    await page.getByLabel("From", { exact: true }).fill("2026-01-01");
    await page.getByRole("button", { name: "Show the statement" }).click();
    await page.getByRole("table").nth(1).waitFor();
    const toDate = await page.getByLabel("To", { exact: true }).inputValue();
    const range = { address: account.address, fromDate: "2026-01-01", toDate };
    const { events } = await dueday().getAccountActivity({ ...range, first: 200 });
    const { totals } = await dueday().getAccountSpending({ ...range, group: "month" });
    expect(events.length).toBeGreaterThan(3);

    await page.emulateMedia({ media: "print" });
    await page.setViewportSize(PAPER);
    expect(await page.getByRole("region", { name: "List of events" }).locator("tbody tr").count()).toBe(events.length);
    // Of one token and one month, whose row is the total too.
    const sums = await page
      .getByRole("region", { name: "By period and token" })
      .locator("tbody tr:last-child span[title]")
      .all();
    expect(await Promise.all(sums.map((cell) => cell.getAttribute("title")))).toEqual(
      totals.flatMap(({ paid, failed, refunded, net }) => [paid, failed, refunded, net]),
    );
    for (const part of [
      page.getByRole("banner"),
      page.getByRole("contentinfo"),
      page.getByLabel("From", { exact: true }),
    ])
      expect(await part.isVisible()).toBe(false);
    expect(await page.getByRole("navigation").filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole("button").filter({ visible: true }).count()).toBe(0);
    expect(await findLayoutFaults(page)).toEqual([]);
    expect((await page.pdf({ format: "A4" })).byteLength).toBeGreaterThan(10_000);
    expect(faults).toEqual([]);
  });

  test("the lists that a button saves are whole and filtered as the page is", async () => {
    const { page, faults } = await openPage(browser, web, { account });
    const activity = `/accounts/${account.address}?tab=activity`;
    await showView(page, web.url, { name: "activity", path: activity, text: "subscribed" });
    const all = await dueday().getAccountActivity({ address: account.address, first: 200 });
    const saved = await download(page);
    expect(saved.name).toBe(`account-${account.address.slice(0, 10)}.csv`);
    expect(saved.rows.map(({ transactionHash, logIndex }) => `${transactionHash} ${logIndex}`)).toEqual(
      all.events.map(({ transactionHash, logIndex }) => `${transactionHash} ${logIndex}`),
    );
    await page.getByLabel("Event", { exact: true }).selectOption("Subscribed");
    await page.getByText(/\d listed/).waitFor();
    const filtered = await download(page);
    expect(filtered.rows.map(({ eventName }) => eventName)).toEqual(
      all.events.filter(({ eventName }) => eventName === "Subscribed").map(({ eventName }) => eventName),
    );
    expect(filtered.rows.length).toBeGreaterThan(0);

    const id = web.devnet.subscriptions.reader ?? "0x";
    const history = `/subscriptions/${id}?tab=history`;
    await showView(page, web.url, { name: "history", path: history, text: "provider was paid" });
    const { count } = await dueday().getSubscriptionHistory({ id, first: 1 });
    const ofSubscription = await download(page);
    expect(ofSubscription.name).toBe(`subscription-${id.slice(0, 10)}.csv`);
    expect(ofSubscription.rows).toHaveLength(count ?? Number.NaN);
    expect(faults).toEqual([]);
  });
});
