import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { parse } from "csv-parse/sync";
import type { Browser, Locator, Page } from "playwright-core";
import { type Address, getAbiItem, getAddress, zeroAddress } from "viem";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { untilShown, viewsProvider } from "./webViews";

setDefaultTimeout(240_000);

describe.if(ensureBrowser())("a seller's home", () => {
  let web: WebDemo;
  let browser: Browser;
  let page: Page;
  let faults: string[];
  const address = viewsProvider.address;
  const cleanUps: (() => Promise<unknown>)[] = [];
  const dueday = () => createDueday({ baseUrl: web.url });

  beforeAll(async () => {
    web = await startWebDemo(demo);
    cleanUps.push(web.stop);
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    ({ page, faults } = await openPage(browser, web, { account: viewsProvider }));
    await page.goto(`${web.url}/app/provider/${address}`);
    await untilShown(page, "Monthly recurring revenue");
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  /** A figure of a card by its name. */
  const figureOf = (card: string, name: string) =>
    page
      .getByRole("region", { name: card, exact: true })
      .locator("dl > div")
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator("dd")
      .first()
      .textContent();

  test("shows the members and the recurring revenue of each token as the API has them, the largest first", async () => {
    expect(page.url()).toBe(`${web.url}/app/providers/${address}`);
    const { periods } = await dueday().getProviderMetrics({ address, group: "month" });
    expect(periods.length).toBeGreaterThan(1);
    for (const { tokenSymbol, activeEnd, new: joined, mrrEnd, failed } of periods) {
      const card = `Business in ${tokenSymbol}`;
      const revenue = await figureOf(card, "Monthly recurring revenue");
      expect([card, await figureOf(card, "Active subscribers")]).toEqual([card, String(activeEnd)]);
      expect([card, await figureOf(card, "New")]).toEqual([card, String(joined)]);
      expect([card, await figureOf(card, "Failed")]).toEqual([card, String(failed)]);
      expect(Number(revenue?.replaceAll(/[^\d.]/g, ""))).toBe(Number(mrrEnd));
    }
    const [largest] = periods.toSorted((a, b) => b.activeEnd - a.activeEnd);
    expect(await page.getByRole("heading", { level: 2 }).first().textContent()).toBe(
      `Business in ${largest?.tokenSymbol}`,
    );
    expect(faults).toEqual([]);
  });

  test("shows on demand who is at risk, what is expected, and the newest payments, and saves all payments as a file", async () => {
    await page.getByRole("button", { name: "Show the outlook" }).click();
    await page.getByText("within one whole period of each plan").waitFor();
    const { count } = await dueday().listAtRisk({ address, first: 1 });
    expect(await figureOf("Outlook", "At risk")).toBe(String(count));
    await page.getByRole("button", { name: "Show the latest payments" }).click();
    const table = page.getByRole("region", { name: "Latest payments", exact: true }).getByRole("table");
    await table.waitFor();
    const { payments } = await dueday().listPayments({ address, first: 200 });
    expect(await table.locator("tbody tr").count()).toBe(Math.min(10, payments.length));
    const arriving = page.waitForEvent("download");
    await page
      .getByRole("region", { name: "Latest payments", exact: true })
      .getByRole("button", { name: "Save as CSV" })
      .click();
    const file = await arriving;
    const rows = parse(await readFile(await file.path(), "utf8"), { columns: true, bom: true });
    expect(rows).toHaveLength(payments.length);
    expect(faults).toEqual([]);
  });

  test("says so where its figures could not be renewed, above those of before", async () => {
    const { client, contract, keeper } = web.devnet;
    const before = await page.getByRole("region", { name: /^Business in / }).count();
    await page.route("**/metrics?*", (route) =>
      route.fulfill({ status: 503, json: { code: "UPSTREAM_UNAVAILABLE", error: "The node can't be reached" } }),
    );
    await send(client, { from: keeper.address, to: contract, data: encodeRemit() });
    const failed = page.getByRole("alert").filter({ hasText: "Could not refresh the business" });
    await failed.waitFor();
    expect(await page.getByRole("region", { name: /^Business in / }).count()).toBe(before);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await failed.getByRole("button", { name: "Try again" }).click();
    await failed.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  /** Clicks from an open page to a file, and the sums of its net by month and token. */
  async function saveQuarter(clicks: readonly Locator[]) {
    const arriving = page.waitForEvent("download");
    for (const each of clicks) await each.click();
    const file = await arriving;
    const rows: Record<"date" | "token" | "netRaw", string>[] = parse(await readFile(await file.path(), "utf8"), {
      columns: true,
      bom: true,
    });
    return sumsOf(rows.map(({ date, token, netRaw }) => ({ date, token, units: BigInt(netRaw.replace(/^'/, "")) })));
  }

  function sumsOf(moved: readonly { date: string; token: string; units: bigint }[]): [string, bigint][] {
    const sums = new Map<string, bigint>();
    for (const { date, token, units } of moved) {
      const key = `${date.slice(0, 7)} ${getAddress(token)}`;
      sums.set(key, (sums.get(key) ?? 0n) + units);
    }
    return [...sums].filter(([, units]) => units !== 0n).sort();
  }

  /** What the chain's Transfers moved to an account, less what they moved from it, by month and token, in a quarter. Mints are none of it. */
  async function chainSums(account: Address, [year, quarter]: readonly [number, number]) {
    const { client } = web.devnet;
    const logs = await client.getLogs({ event: getAbiItem({ abi: erc20Abi, name: "Transfer" }), fromBlock: 0n });
    const moved = [];
    for (const { address: token, args, blockNumber } of logs) {
      const { from = zeroAddress, to = zeroAddress, value = 0n } = args;
      if (from === zeroAddress || to === zeroAddress || (from !== account && to !== account)) continue;
      const { timestamp } = await client.getBlock({ blockNumber });
      const date = new Date(Number(timestamp) * 1_000);
      if (date.getUTCFullYear() !== year || Math.floor(date.getUTCMonth() / 3) + 1 !== quarter) continue;
      moved.push({ date: date.toISOString(), token, units: to === account ? value : -value });
    }
    return sumsOf(moved);
  }

  test("an accountant gets a quarter of a seller in one click from its home, and of a subscriber in two: by month and token the sums are the chain's", async () => {
    const { payments } = await dueday().listPayments({ address, first: 200 });
    const newest = payments.find(({ kind }) => kind === "recurring" || kind === "initial");
    if (newest === undefined) throw new Error("the demo's seller is paid");
    const [year, month] = String(newest.date).split("-").map(Number);
    const quarter = [year ?? 0, Math.ceil((month ?? 0) / 3)] as const;
    const button = () => page.getByRole("button", { name: `${quarter[0]} Q${quarter[1]} as CSV` });
    const sold = await saveQuarter([button()]);
    expect(sold.length).toBeGreaterThan(0);
    expect(sold).toEqual(await chainSums(address, quarter));

    const subscriber = getAddress(newest.subscriber);
    await page.goto(`${web.url}/app/accounts/${subscriber}`);
    const paid = await saveQuarter([page.getByRole("link", { name: "Statement", exact: true }), button()]);
    expect(paid.length).toBeGreaterThan(0);
    expect(paid).toEqual(await chainSums(subscriber, quarter));
    expect(faults).toEqual([]);
  });
});
