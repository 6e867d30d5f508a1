import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { demo } from "@dueday/devnet/scenarios/demo";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { parse } from "csv-parse/sync";
import type { Browser, Page } from "playwright-core";
import { openPage, type WebPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { untilLoaded, untilShown } from "./webViews";

setDefaultTimeout(240_000);

/** Two accounts of one company: the first pays for two subscriptions of the demo. */
const payer = testAccount(ACCOUNT_INDEX.firstSubscriber + 12).address;
const other = testAccount(ACCOUNT_INDEX.firstSubscriber + 13).address;
const LABEL = "Rent & 家賃 <b>";
const both = `${payer},${other}`;

type Rows = Record<string, string>[];

describe.if(ensureBrowser())("a treasurer", () => {
  let web: WebDemo;
  let browser: Browser;
  let own: WebPage;
  let today: string;
  const dueday = () => createDueday({ baseUrl: web.url });

  beforeAll(async () => {
    [web, browser] = await Promise.all([startWebDemo(demo), openBrowser()]);
    own = await openPage(browser, web, { account: testAccount(ACCOUNT_INDEX.firstSubscriber + 12) });
    const { currentDay } = await dueday().getRemitReadiness();
    today = new Date(currentDay * 86_400_000).toISOString().slice(0, 10);
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
  });

  async function show(path: string, text: string | RegExp): Promise<Page> {
    await own.page.goto(`${web.url}/app${path}`);
    await untilShown(own.page, text);
    return own.page;
  }

  /** Saves the file of a part of the page. */
  async function download(page: Page, card: string): Promise<Rows> {
    const arriving = page.waitForEvent("download");
    await page.getByRole("region", { name: card, exact: true }).getByRole("button", { name: "Save as CSV" }).click();
    return parse(await readFile(await (await arriving).path(), "utf8"), { columns: true });
  }

  async function label(page: Page, address: string, text: string): Promise<void> {
    await page.getByRole("contentinfo").getByRole("button", { name: "Labels" }).click();
    const dialog = page.getByRole("dialog", { name: "Labels of addresses" });
    await dialog.getByLabel("Address", { exact: true }).fill(address);
    await dialog.getByLabel("Label", { exact: true }).fill(text);
    await dialog.getByRole("button", { name: "Save" }).click();
  }

  test("a label stands in place of an address on every page of this browser, in other tabs at once, as inert text, and not on paper", async () => {
    const page = await show(`/accounts/${payer}`, "Outlook");
    const tab = await own.context.newPage();
    await tab.goto(`${web.url}/app/accounts/${payer}`);
    await untilShown(tab, "Outlook");

    await page.getByRole("main").getByRole("button", { name: "Add a label" }).click();
    const dialog = page.getByRole("dialog", { name: "Labels of addresses" });
    expect(await dialog.getByLabel("Address", { exact: true }).inputValue()).toBe(payer);
    // What is hidden in a text is not kept.
    await dialog.getByLabel("Label", { exact: true }).fill(`${LABEL}\u202e\u200b`);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });

    for (const each of [page, tab]) {
      const name = each.locator("main header").getByText(LABEL, { exact: true });
      await name.waitFor();
      expect(await name.evaluate((element: { children: { length: number } }) => element.children.length)).toBe(0);
    }
    await tab.close();
    await page.reload();
    await page.locator("main header").getByText(LABEL, { exact: true }).waitFor();

    await page.emulateMedia({ media: "print" });
    expect(await page.getByText(LABEL, { exact: true }).filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /label/i }).filter({ visible: true }).count()).toBe(0);
    const onPaper = "getComputedStyle(document.querySelector('main header code'), '::after').content";
    expect(await page.evaluate<string>(onPaper)).toBe(`"${payer}"`);
    await page.emulateMedia({ media: "screen" });
    expect(own.faults).toEqual([]);
  });

  test("a label that is too long or of no address is refused with the reason, and one that is removed is gone", async () => {
    const page = await show(`/accounts/${payer}`, "Outlook");
    await label(page, "0x12", "x".repeat(41));
    const dialog = page.getByRole("dialog", { name: "Labels of addresses" });
    await dialog.getByText("must be an address: 0x followed by 40 hex digits").waitFor();
    await dialog.getByText("must have at most 40 characters; it has 41").waitFor();
    await dialog.getByLabel("Address", { exact: true }).fill(other);
    await dialog.getByLabel("Label", { exact: true }).fill("Office");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("contentinfo").getByRole("button", { name: "Labels" }).click();
    await dialog.getByRole("button", { name: `Remove ${LABEL}` }).click();
    await dialog.getByText(LABEL).waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Close" }).click();
    expect(await page.locator("main header code").first().textContent()).toContain(payer.slice(0, 6));
    await label(page, payer, LABEL);
  });

  test("the calendar is that of the accounts that are chosen by address and by label, with their total of the next 30 days", async () => {
    const page = await show("/calendar", "to come");
    await page.getByRole("button", { name: "Choose", exact: true }).click();
    await page.getByLabel("Accounts", { exact: true }).fill(payer);
    await page.getByLabel("Add to accounts by label").selectOption({ label: "Office" });
    await page.getByRole("button", { name: "Show these" }).click();
    await untilShown(page, "Outgoing in 30 days");
    expect(new URL(page.url()).searchParams.get("account")?.toLowerCase()).toBe(both.toLowerCase());

    const { selection } = await dueday().getRemitForecast({ account: both });
    const shown = page.getByRole("region", { name: "Next 30 days", exact: true });
    for (const { amount, symbol } of selection?.next30Days.byToken ?? []) {
      const figure = shown.locator("dd").filter({ hasText: symbol }).locator("span[title]").first();
      expect(await figure.getAttribute("title")).toBe(amount);
    }
    const coming = await download(page, "Next 30 days");
    expect(sumOf(coming)).toEqual(sumOf(rowsOf(selection?.next30Days.byToken ?? [])));

    const month = today.slice(0, 7);
    const { days } = await dueday().getDueCalendar({ month, account: both });
    const title = await page.locator("main h2").nth(2).textContent();
    const saved = await download(page, title ?? "");
    const expected = days.flatMap((day) =>
      [day.open, day.upcoming, day.settled, day.failed, day.missed].flatMap((sum) => rowsOf(sum?.byToken ?? [])),
    );
    expect(sumOf(saved)).toEqual(sumOf(expected));
    expect(saved.length).toBe(expected.length);
    expect(own.faults).toEqual([]);
  });

  test("the file of a day has every subscription of its lists, of all payments and of those that are chosen", async () => {
    const { selection } = await dueday().getRemitForecast({ account: payer });
    const date = selection?.days.find(({ payments }) => payments > 0)?.date ?? "?";
    for (const filter of [{}, { account: payer }]) {
      const search = new URLSearchParams({ day: date, ...filter });
      const page = await show(`/calendar?${search}`, "To be charged");
      const { results } = await dueday().getSubscriptionsDue({ date, first: 200, ...filter });
      const listed = results.flatMap(({ subscriptions }) => subscriptions.map(({ id }) => id));
      const title = await page.locator("main h2").last().textContent();
      const rows = await download(page, title ?? "");
      expect(rows.map((row) => row.Subscription as `0x${string}`).sort()).toEqual(listed.sort());
      expect(rows.length).toBeGreaterThan(0);
    }
  });

  test("a day with more plans of a frequency than the service lists has no file, and says what to choose for one", async () => {
    await own.page.route("**/subscriptions/due?*", async (route) => {
      const response = await route.fetch();
      const { results, ...answer } = await response.json();
      const long = results.map((list: object) => ({ ...list, count: 5_201 }));
      await route.fulfill({ response, json: { ...answer, results: long } });
    });
    const page = await show(`/calendar?day=${today}`, "which has at most 5,200 of each frequency");
    await page.getByText("Choose accounts, providers or plans above").waitFor();
    const title = await page.locator("main h2").last().textContent();
    const day = page.getByRole("region", { name: title ?? "", exact: true });
    expect(await day.getByRole("button", { name: "Save as CSV" }).count()).toBe(0);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("an account's page adds other accounts to its next 30 days and is about it alone again, and the keepers' page forecasts what is chosen", async () => {
    const own30 = await show(`/accounts/${payer}?tab=coming&account=${other}`, "Outgoing in 30 days");
    const { selection } = await dueday().getRemitForecast({ account: both });
    const payments = selection?.next30Days.payments ?? 0;
    await own30.getByText(`${payments} payments, `).waitFor();
    await own30.getByRole("button", { name: "Only this account" }).click();
    const alone = await dueday().getRemitForecast({ account: payer });
    await own30.getByText(`${alone.selection?.next30Days.payments} payments, `).waitFor();
    expect(await own30.getByRole("button", { name: /^(?:Only this account|Show all)$/ }).count()).toBe(0);
    const [plan] = Object.values(web.devnet.subscriptions);
    const ofPlan = await dueday().getRemitForecast({ subscription: plan });
    const keepers = await show(`/keepers?subscription=${plan}`, "Due in 30 days");
    await keepers.getByText(new RegExp(`^${ofPlan.selection?.next30Days.payments} payments?, `)).waitFor();
    await keepers.getByRole("button", { name: "Show all" }).click();
    await untilShown(keepers, "Next 35 days");
    const rows = await download(keepers, "Next 35 days");
    const { days } = await dueday().getRemitForecast({});
    expect(rows.map(({ Payments }) => Number(Payments))).toEqual(days.map(({ payments }) => payments));
  });

  test("an address that is mistyped is named beside its field, and in a page's address the service refuses it", async () => {
    const page = await show("/calendar", "to come");
    await page.getByRole("button", { name: "Choose", exact: true }).click();
    await page.getByLabel("Providers", { exact: true }).fill("0x12");
    await page.getByRole("button", { name: "Show these" }).click();
    await page.getByText("“0x12” is not an address: 0x followed by 40 hex digits").waitFor();
    await page.goto(`${web.url}/app/calendar?account=0x12`);
    await page
      .getByRole("alert")
      .first()
      .getByText(/must be an address/)
      .waitFor();
    await untilLoaded(page);
  });
});

const rowsOf = (byToken: readonly { token: string; amount: string; payments: number }[]): Rows =>
  byToken.map(({ token, amount, payments }) => ({ Token: token, Amount: amount, Payments: String(payments) }));

/** Payments and amounts by token. */
function sumOf(rows: Rows): Record<string, { payments: number; amount: number }> {
  const sums: Record<string, { payments: number; amount: number }> = {};
  for (const { Token = "", Amount, Payments } of rows) {
    const { payments, amount } = sums[Token] ?? { payments: 0, amount: 0 };
    sums[Token] = {
      payments: payments + Number(Payments),
      amount: Math.round((amount + Number(Amount)) * 1e6) / 1e6,
    };
  }
  return sums;
}
