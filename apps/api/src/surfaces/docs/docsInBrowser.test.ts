import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser, Locator, Page } from "playwright-core";
import type { Operation } from "../../operation/defineOperation";
import { operations } from "../../operations/operations";

const database = await createTestDatabase();
const tried = ["get_remit_plan", "get_subscriptions_due", "prepare_remit"];

describe.if(ensureBrowser())("the docs page in a browser", () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let api: TestApi;
  let browser: Browser;
  let docs: Awaited<ReturnType<typeof openPage>>;

  beforeAll(async () => {
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
    cleanUps.push(devnet.stop);
    api = await startTestApi({ database, rpcUrl: devnet.url, contract: devnet.contract });
    cleanUps.push(api.stop);
    docs = await openPage();
  });

  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  /** Opens all groups of the page. `complaints`: its requests to other hosts, and what the browser reports against it. */
  async function openPage(): Promise<{ page: Page; sidebar: Locator; complaints: string[] }> {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(`${api.url}/`) && !request.url().startsWith("data:"))
        complaints.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${api.url}/docs`);
    const groups = page.getByRole("button", { name: /^Open Group/ });
    await groups.first().waitFor();
    while ((await groups.count()) > 0) await groups.first().click();
    return { page, sidebar: page.getByRole("complementary"), complaints };
  }

  test("shows every operation; the browser blocks nothing of it, and it requests nothing from another host", async () => {
    const { sidebar, complaints } = docs;
    for (const { summary } of operations) await sidebar.getByText(summary, { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test.each(tried)("%s is answered as it is written there", async (name) => {
    const { summary, http } = operationOf(name);
    const { page, sidebar, complaints } = docs;
    await sidebar.getByText(summary, { exact: true }).click();
    const call = RegExp.escape(`${http.method.toLowerCase()} ${http.path}`);
    await page.getByRole("button", { name: new RegExp(`Test Request.*${call}\\)?$`) }).click();
    const answered = page.waitForResponse((response) => response.url().startsWith(api.url + http.path));
    await page.getByRole("button", { name: /^Send/ }).first().click();
    const response = await answered;
    expect(response.status()).toBe(200);
    expect(complaints).toEqual([]);
    await page
      .getByRole("button", { name: /Close Client/ })
      .first()
      .click();
  });
});

function operationOf(name: string): Operation {
  const found = operations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`no operation has the name ${name}`);
  return found;
}
