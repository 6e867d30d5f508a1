import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { fund } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Browser, Page } from "playwright-core";
import { parseUnits } from "viem";
import { pressEnter, tabTo, typeInto } from "./keyboard";
import { openPage } from "./openPage";
import { startReceiver } from "./startReceiver";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

/** Subscribed to nothing in the token of `reader`. */
const person = testAccount(ACCOUNT_INDEX.firstSubscriber + 59);

/** Creating, editing and cancelling by keyboard is in signing.test.ts. */
describe.if(ensureBrowser())("by keyboard alone", () => {
  let web: WebDemo;
  let browser: Browser;
  const receiver = startReceiver();
  const cleanUps: (() => Promise<unknown>)[] = [async () => receiver.stop()];

  beforeAll(async () => {
    web = await startWebDemo(demo);
    cleanUps.push(web.stop);
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  const button = (page: Page, name: string | RegExp) => page.getByRole("main").getByRole("button", { name }).first();
  const goTo = (page: Page, name: string) =>
    pressEnter(page, page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }));
  const untilDone = (page: Page, sentence: string) =>
    page.getByRole("status").filter({ hasText: sentence }).and(page.locator('[data-step="done"]')).waitFor();

  test("a reader chooses a theme and a month, settles a page, subscribes and unsubscribes", async () => {
    const { client, contract, tokens, subscriptions } = web.devnet;
    const { page, wallet, faults } = await openPage(browser, web, { account: person, batches: true });
    const [token] = tokens;
    if (token === undefined || subscriptions.reader === undefined) throw new Error("the demo has no reader");
    const target = { client, contract, admin: testAccount(ACCOUNT_INDEX.admin).address };
    await fund(target, token, person.address, parseUnits("1000", 6), 0n);
    const args = [subscriptions.reader] as const;
    const isSubscribed = async () => {
      const call = { address: contract, abi: protocolAbi, functionName: "getSubscribersById", args } as const;
      return (await client.readContract(call)).some(({ subscriber }) => subscriber === person.address);
    };

    await page.goto(`${web.url}/app/`);
    await tabTo(page, page.getByLabel("Theme"));
    await page.keyboard.type("Dark");
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    await goTo(page, "Calendar");
    const before = await page.getByRole("heading", { level: 2 }).first().textContent();
    await pressEnter(page, page.getByRole("link", { name: "Next month" }));
    await page
      .getByRole("heading", { level: 2 })
      .filter({ hasNotText: String(before) })
      .first()
      .waitFor();
    await pressEnter(page, page.getByRole("table").getByRole("link").filter({ hasText: "to come" }).first());
    await page.getByRole("region", { name: /^Due on/ }).waitFor();

    await pressEnter(page, page.getByRole("banner").getByRole("button", { name: "Connect wallet" }));
    await pressEnter(page, page.getByRole("dialog").getByRole("button", { name: wallet.name }));
    await goTo(page, "Keepers");
    const dueday = createDueday({ baseUrl: web.url });
    const { transactions } = (await dueday.getRemitReadiness()).totals;
    await pressEnter(page, page.getByRole("link", { name: "Settle", exact: true }));
    await pressEnter(page, button(page, "Settle the next page"));
    await untilDone(page, "The page is settled.");
    await web.caughtUp();
    expect((await dueday.getRemitReadiness()).totals.transactions).toBe(transactions - 1);

    await goTo(page, "Subscriptions");
    await typeInto(page, page.getByLabel("Open a subscription by its id"), subscriptions.reader);
    await page.keyboard.press("Enter");
    await pressEnter(page, button(page, "Approve and subscribe"));
    await untilDone(page, "You are subscribed.");
    expect(await isSubscribed()).toBe(true);
    await pressEnter(page, button(page, "Unsubscribe"));
    await pressEnter(page, button(page, "End my subscription"));
    await untilDone(page, "You are no longer subscribed.");
    expect(await isSubscribed()).toBe(false);
    expect(faults).toEqual([]);
  });

  test("a developer signs in, creates and revokes a key, and has a delivery of a webhook sent again", async () => {
    const { page, wallet, faults } = await openPage(browser, web, { account: person });
    await page.goto(`${web.url}/app/developers`);
    await pressEnter(page, button(page, `Connect ${wallet.name}`));
    await pressEnter(page, button(page, /^Sign in as/));
    await typeInto(page, page.getByLabel("Name of a new key"), "by keyboard");
    await page.keyboard.press("Enter");
    const key = await page.getByRole("region", { name: "the key" }).textContent();
    const use = () => fetch(`${web.url}/catalog`, { headers: { Authorization: `Bearer ${key}` } });
    expect((await use()).headers.get("x-service-lane")).toBe("developer");
    await pressEnter(page, button(page, "I have stored it"));
    await pressEnter(page, button(page, "Revoke"));
    await pressEnter(page, button(page, "Revoke"));
    await page.getByText("revoked", { exact: true }).waitFor();
    expect((await use()).status).toBe(401);

    await typeInto(page, page.getByLabel("URL of a new webhook"), receiver.url);
    await page.keyboard.press("Enter");
    receiver.secret = await page.getByRole("region", { name: "the secret" }).textContent();
    await pressEnter(page, button(page, "I have stored it"));
    await pressEnter(page, button(page, "Send the challenge"));
    await button(page, "Send a test").waitFor();
    await pressEnter(page, button(page, "Send a test"));
    const sent = page.getByRole("table").getByRole("row").filter({ hasText: "webhook.test" });
    await sent.getByText("delivered").waitFor();
    await pressEnter(page, button(page, "Send again: webhook.test"));
    await waitUntil("the test arrived twice", async () => receiver.received.length === 2);
    await pressEnter(page, button(page, "Delete"));
    await pressEnter(page, button(page, "Delete"));
    await page.getByText("You have no webhooks").waitFor();
    await pressEnter(page, button(page, /^Sign out$/));
    await button(page, /^Sign in as/).waitFor();
    expect(faults).toEqual([]);
  });
});
