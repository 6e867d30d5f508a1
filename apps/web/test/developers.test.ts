import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { demo } from "@dueday/devnet/scenarios/demo";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser, Page } from "playwright-core";
import { findAxeFaults } from "./findAxeFaults";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

const developer = testAccount(ACCOUNT_INDEX.firstSubscriber + 3);

describe.if(ensureBrowser())("the developer portal", () => {
  let web: WebDemo;
  let browser: Browser;
  const cleanUps: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    web = await startWebDemo(demo, { SECRETS_KEY: "ab".repeat(32) });
    cleanUps.push(web.stop);
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  /** What axe-core finds in both themes. */
  async function faultsInBothThemes(page: Page): Promise<string[]> {
    const faults: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      faults.push(...(await findAxeFaults(page)));
    }
    return faults;
  }

  test("a wallet signs in, creates a key and uses it, adds a webhook and sends it a test, and signs out: all without a reload", async () => {
    const { page, context, open, wallet, faults } = await openPage(browser, web, { account: developer });
    await open("/developers");
    await page.evaluate(() => Reflect.set(globalThis, "isSamePage", true));
    const card = (name: string) => page.getByRole("region", { name, exact: true });
    const press = (name: string | RegExp) => page.getByRole("button", { name }).click();

    expect(await faultsInBothThemes(page)).toEqual([]);
    wallet.rejectNext();
    await press(/^Sign in as/);
    await page.getByRole("alert").filter({ hasText: "Not signed in" }).waitFor();
    await press(/^Sign in as/);
    await card("Your account").getByText(wallet.address).waitFor();
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: "dueday_session", httpOnly: true, sameSite: "Strict", path: "/" });
    expect(await page.evaluate("document.cookie")).toBe("");

    await page.getByLabel("Name of a new key").fill("keeper in Frankfurt");
    await press("Create key");
    const key = (await card("Keys").getByRole("region", { name: "the key" }).textContent()) ?? "";
    expect(key).toMatch(/^dueday_\w{46}$/);
    const used = await fetch(`${web.url}/catalog`, { headers: { Authorization: `Bearer ${key}` } });
    expect([used.status, used.headers.get("x-service-lane")]).toEqual([200, "developer"]);
    expect(await faultsInBothThemes(page)).toEqual([]);
    await press("I have stored it");
    await card("Keys").getByText(key).waitFor({ state: "detached" });
    await card("Usage").getByText("keeper in Frankfurt").waitFor();

    await card("Keys").getByRole("button", { name: "Revoke" }).click();
    await press("Keep");
    await card("Keys").getByRole("button", { name: "Revoke" }).click();
    await card("Keys").getByText("Programs that use it will be refused.").waitFor();
    await card("Keys").getByRole("button", { name: "Revoke" }).click();
    await card("Keys").getByText("revoked", { exact: true }).waitFor();
    expect((await fetch(`${web.url}/catalog`, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(401);

    await page.getByLabel("URL of a new webhook").fill("https://93.184.216.34/hooks");
    await page.getByLabel("Types of events").fill("payment.paid, payment.nothing");
    await press("Add webhook");
    await page.getByRole("alert").filter({ hasText: "The webhook was not added" }).waitFor();
    await page.getByLabel("Types of events").fill("payment.paid, payment.failed");
    await press("Add webhook");
    const secret = await card("Webhooks").getByRole("region", { name: "the secret" }).textContent();
    expect(secret).toMatch(/^whsec_/);
    await press("I have stored it");
    const webhook = page.getByRole("region", { name: "Webhook to https://93.184.216.34/hooks" });
    await webhook.getByText("payment.paid, payment.failed").waitFor();
    await webhook.getByRole("button", { name: "Send a test" }).click();
    await webhook.getByRole("table").getByText("webhook.test").waitFor();
    await webhook.getByRole("button", { name: "Send again: webhook.test" }).click();
    expect(await faultsInBothThemes(page)).toEqual([]);
    await webhook.getByRole("button", { name: "Rotate secret" }).click();
    await webhook.getByText("Both secrets sign for 24 hours.").waitFor();
    await webhook.getByRole("button", { name: "Rotate secret" }).click();
    expect(await webhook.getByRole("region", { name: "the secret" }).textContent()).not.toBe(secret);
    if (process.env.SCREENS !== undefined) await takeScreens(page, process.env.SCREENS, "full");
    await press("I have stored it");
    await webhook.getByRole("button", { name: "Delete" }).click();
    await webhook.getByText("Its deliveries are deleted too.").waitFor();
    await webhook.getByRole("button", { name: "Delete" }).click();
    await card("Webhooks").getByText("You have no webhooks").waitFor();

    await press(/^Sign out$/);
    await page.getByRole("button", { name: /^Sign in as/ }).waitFor();
    expect(await context.cookies()).toEqual([]);
    if (process.env.SCREENS !== undefined) await takeScreens(page, process.env.SCREENS, "empty");
    expect(await page.evaluate(() => Reflect.get(globalThis, "isSamePage"))).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  });
});

async function takeScreens(page: Page, folder: string, state: string): Promise<void> {
  for (const width of [360, 768, 1440])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${state}-${width}-${colorScheme}.png`, fullPage: true });
    }
}
