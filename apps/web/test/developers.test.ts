import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Browser, Page } from "playwright-core";
import { findAxeFaults } from "./findAxeFaults";
import { openPage } from "./openPage";
import { type Receiver, startReceiver } from "./startReceiver";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

const developer = testAccount(ACCOUNT_INDEX.firstSubscriber + 3);

describe.if(ensureBrowser())("the developer portal", () => {
  let web: WebDemo;
  let browser: Browser;
  let receiver: Receiver;
  const cleanUps: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    web = await startWebDemo(demo, { SECRETS_KEY: "ab".repeat(32) });
    cleanUps.push(web.stop);
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    receiver = startReceiver();
    cleanUps.push(async () => receiver.stop());
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

  test("a wallet signs in, creates a key and uses it, adds a webhook, sees its deliveries and has one sent again, and signs out: all without a reload", async () => {
    const { page, context, open, wallet, faults } = await openPage(browser, web, { account: developer });
    await open("/developers");
    await page.evaluate(() => Reflect.set(globalThis, "isSamePage", true));
    const card = (name: string) => page.getByRole("region", { name, exact: true });
    const press = (name: string | RegExp) => page.getByRole("button", { name }).click();

    expect(await faultsInBothThemes(page)).toEqual([]);
    wallet.rejectNext();
    await press(/^Sign in as/);
    await page.getByRole("alert").filter({ hasText: "Rejected in the wallet" }).waitFor();
    await press(/^Sign in as/);
    await card("Your account").getByText(wallet.address).waitFor();
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: "dueday_session", httpOnly: true, sameSite: "Strict", path: "/" });
    expect(await page.evaluate("document.cookie")).toBe("");

    await page.getByLabel("Name of a new key").fill("keeper in Frankfurt");
    await press("Create key");
    const key = (await card("Keys").getByRole("region", { name: "the key" }).textContent()) ?? "";
    expect(key).toMatch(/^dueday_\w{46}$/);
    // Another one would take its place before it is stored.
    expect(await page.getByRole("button", { name: "Create key" }).isDisabled()).toBe(true);
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

    await page.getByLabel("URL of a new webhook").fill("https://user@93.184.216.34/hooks");
    await press("Add webhook");
    await page.getByRole("alert").filter({ hasText: "The webhook was not added" }).waitFor();
    await page.getByLabel("URL of a new webhook").fill(receiver.url);
    await page.getByText("Only some events").click();
    await page.getByRole("checkbox", { name: "a keeper settled payments" }).check();
    await page.getByRole("checkbox", { name: "a payment failed" }).check();
    await press("Add webhook");
    const secret = await card("Webhooks").getByRole("region", { name: "the secret" }).textContent();
    expect(secret).toMatch(/^whsec_/);
    receiver.secret = secret;
    await press("I have stored it");
    const webhook = page.getByRole("region", { name: `Webhook to ${receiver.url}` });
    await webhook.getByText("a keeper settled payments, a payment failed").waitFor();
    await webhook.getByText("waiting for its challenge").waitFor();
    expect(await webhook.getByRole("button", { name: "Send a test" }).count()).toBe(0);
    await webhook.getByRole("button", { name: "Send the challenge" }).click();
    await webhook.getByText("enabled", { exact: true }).waitFor();
    await webhook.getByRole("button", { name: "Send a test" }).click();
    const row = (type: string) => webhook.getByRole("row").filter({ hasText: type }).first();
    await row("webhook.test").getByText("delivered").waitFor();
    expect(receiver.received.map(({ type }) => type)).toEqual(["webhook.test"]);

    // An event of the chain arrives by itself, signed; the page shows that, and sends the same event again.
    await send(web.devnet.client, { from: web.devnet.keeper.address, to: web.devnet.contract, data: encodeRemit() });
    await row("remit.settled").getByText("delivered").waitFor();
    const [first] = receiver.received.filter(({ type }) => type === "remit.settled");
    await row("remit.settled").getByRole("button", { name: "Send again: remit.settled" }).click();
    const copies = () => receiver.received.filter(({ id }) => id === first?.id).length;
    await waitUntil("the event arrived twice", async () => copies() === 2);
    await row("remit.settled").getByText("delivered").waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);

    // All stored events of its types are sent once more.
    await webhook.getByRole("button", { name: "Replay all events" }).click();
    await waitUntil("the replay arrived", async () => copies() === 3);
    await webhook.getByRole("button", { name: "Rotate secret" }).click();
    await webhook.getByText("For 24 hours, deliveries are signed with both secrets.").waitFor();
    await webhook.getByRole("button", { name: "Rotate secret" }).click();
    expect(await webhook.getByRole("region", { name: "the secret" }).textContent()).not.toBe(secret);
    await press("I have stored it");
    await webhook.getByRole("button", { name: "Delete" }).click();
    await webhook.getByText("Its deliveries are deleted too.").waitFor();
    await webhook.getByRole("button", { name: "Delete" }).click();
    await card("Webhooks").getByText("You have no webhooks").waitFor();

    await press(/^Sign out$/);
    await page.getByRole("button", { name: /^Sign in as/ }).waitFor();
    expect(await context.cookies()).toEqual([]);

    // Another account sees nothing of this one, not even until its own keys are read.
    wallet.setAccount(testAccount(ACCOUNT_INDEX.firstSubscriber + 4));
    const banner = page.getByRole("banner");
    await banner.getByRole("button", { name: /^0x/ }).click();
    await press("Disconnect");
    await banner.getByRole("button", { name: "Connect wallet" }).click();
    await page.getByRole("dialog").getByRole("button", { name: wallet.name }).click();
    const held = Promise.withResolvers<void>();
    await page.route("**/portal/keys*", async (route) => {
      await held.promise;
      await route.continue();
    });
    await press(/^Sign in as/);
    await card("Keys").getByText("Name of a new key").waitFor();
    expect(await card("Keys").getByText("keeper in Frankfurt").count()).toBe(0);
    held.resolve();
    await card("Keys").getByText("You have no keys").waitFor();
    expect(await page.evaluate(() => Reflect.get(globalThis, "isSamePage"))).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  });
});
