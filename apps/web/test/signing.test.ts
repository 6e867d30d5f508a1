import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { fund } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Browser, Page } from "playwright-core";
import { type Address, type Hex, parseUnits } from "viem";
import { dateOfDay, formatDate } from "../src/format/formatDate";
import { pressEnter, typeInto } from "./keyboard";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

const plan = demoPlans.find(({ key }) => key === "reader");
/** Subscribed to nothing in the token of `reader`, so that no other payment uses its approval. */
const joiner = testAccount(ACCOUNT_INDEX.firstSubscriber + 59);
const provider = testAccount(ACCOUNT_INDEX.firstProvider + (plan?.provider ?? 0));

describe.if(ensureBrowser())("a wallet in the web app", () => {
  let web: WebDemo;
  let browser: Browser;
  let id: Hex;
  const cleanUps: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    web = await startWebDemo(demo);
    cleanUps.push(web.stop);
    browser = await openBrowser();
    cleanUps.push(() => browser.close());
    id = web.devnet.subscriptions.reader ?? "0x";
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  const dueday = () => createDueday({ baseUrl: web.url });
  const record = async (subscription: Hex) => {
    const { client, contract } = web.devnet;
    const [, amount, by, , cancelled, frequency, dueDay] = await client.readContract({
      address: contract,
      abi: protocolAbi,
      functionName: "idSubMap",
      args: [subscription],
    } as const);
    return { amount, provider: by, cancelled, frequency, dueDay };
  };
  /** Active subscribers by the contract's own list. */
  const subscribers = async (): Promise<Address[]> => {
    const { client, contract } = web.devnet;
    const rows = await client.readContract({
      address: contract,
      abi: protocolAbi,
      functionName: "getSubscribersById",
      args: [id],
    } as const);
    return rows.map(({ subscriber }) => subscriber);
  };
  const untilDone = (page: Page, sentence: string) =>
    page.getByRole("status").filter({ hasText: sentence }).and(page.locator('[data-step="done"]')).waitFor();

  test("approves and subscribes in one batch, sees the payment of the next month arrive, and unsubscribes", async () => {
    const { client, contract, tokens } = web.devnet;
    const [token] = tokens;
    if (token === undefined) throw new Error("the demo has no token");
    // A backlog would charge a new subscriber for days of the past, too.
    await settle(web.devnet);
    const admin = testAccount(ACCOUNT_INDEX.admin).address;
    await fund({ client, contract, admin }, token, joiner.address, parseUnits("1000", 6), 0n);
    await web.caughtUp();
    const { page, open, wallet, faults } = await openPage(browser, web, { account: joiner, batches: true });
    await open(`/subscriptions/${id}`);
    wallet.setPending(true);
    await page.getByRole("button", { name: "Approve and subscribe" }).click();
    await page.getByText("Sent. Waiting for the block.").waitFor();
    wallet.setPending(false);
    await untilDone(page, "You are subscribed.");
    expect(wallet.batch.map(({ to }) => to.toLowerCase())).toEqual([token.toLowerCase(), contract.toLowerCase()]);
    expect(wallet.requests).not.toContain("eth_sendTransaction");
    expect(await subscribers()).toContain(joiner.address);
    await page.getByText("active", { exact: true }).waitFor();
    const covered = page.getByText("Payments covered").locator("xpath=following-sibling::dd");
    expect(await covered.textContent()).toBe("12");

    await web.travel(31);
    await settle(web.devnet);
    await web.caughtUp();
    await page.getByText("Payments covered").locator("xpath=following-sibling::dd", { hasText: /^11$/ }).waitFor();
    expect((await dueday().getEntitlement({ id, account: joiner.address })).coveredPayments).toBe(11);

    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await page.getByRole("button", { name: "End my subscription" }).click();
    await untilDone(page, "You are no longer subscribed.");
    expect(await subscribers()).not.toContain(joiner.address);
    await page.getByText("unsubscribed", { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  test("the backlog shows what becomes due and what of it was paid, as the chain has it, without a reload", async () => {
    await settle(web.devnet);
    await web.caughtUp();
    const { page, open, faults } = await openPage(browser, web, { account: joiner });
    await open("/keepers");
    await page.getByText("Nothing is due").waitFor();
    await page.evaluate(() => Reflect.set(globalThis, "isSamePage", true));

    await web.travel(7);
    const { totals } = await dueday().getRemitReadiness();
    expect(totals.payments).toBeGreaterThan(0);
    const plan = page.getByRole("region", { name: "Transactions of the plan" }).locator("tfoot td");
    await plan.filter({ hasText: new RegExp(`^${totals.payments}$`) }).waitFor();

    const settled = await settle(web.devnet);
    await page.getByText("Nothing is due").waitFor();
    const [day, { payments } = { payments: 0 }] = [...settled.days].filter(([, each]) => each.payments > 0).at(-1) ?? [
      0,
    ];
    const name = formatDate(dateOfDay(day), "weekday");
    const row = page.getByRole("region", { name: "Settled days, newest first" }).getByRole("row", { name });
    // A day of several transactions is shown from the first of them on.
    await waitUntil("all payments of the day to be shown", async () => {
      const [, paid, failed] = await row.getByRole("cell").allTextContents();
      return Number(paid) + Number(failed) === payments;
    });
    expect(await page.evaluate(() => Reflect.get(globalThis, "isSamePage"))).toBe(true);
    expect(faults).toEqual([]);
  });

  test("shows that its owner rejected, has it switch its chain, and shows what the service refuses at the field", async () => {
    const { page, open, wallet, faults } = await openPage(browser, web, { account: provider });
    await open("/sell");
    wallet.rejectNext();
    await page.getByLabel("Name").fill("Refused");
    await page.getByLabel("Price").fill("12.50");
    await page.getByRole("button", { name: "Create the plan" }).click();
    await page.getByRole("alert").filter({ hasText: "Rejected in the wallet" }).waitFor();

    const nonce = await web.devnet.client.getTransactionCount({ address: provider.address });
    // As if the form had let a price pass that the service refuses.
    await page.route(/\/prepare\/create_subscription/, (route) =>
      route.continue({ postData: (route.request().postData() ?? "").replace('"12.50"', '"0.00000000001"') }),
    );
    await page.getByRole("button", { name: "Create the plan" }).click();
    await page.getByRole("alert").filter({ hasText: "VALIDATION_ERROR" }).waitFor();
    expect(await page.getByLabel("Price").getAttribute("aria-invalid")).toBe("true");
    expect(await web.devnet.client.getTransactionCount({ address: provider.address })).toBe(nonce);

    wallet.setChain(1);
    await page.reload();
    await page.getByRole("button", { name: "Switch to Devnet" }).first().click();
    await page.getByRole("button", { name: "Create the plan" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("settles what is due as a keeper, page by page", async () => {
    await web.travel(7);
    const { totals } = await dueday().getRemitReadiness();
    expect(totals.transactions).toBeGreaterThan(1);
    const { page, open, faults } = await openPage(browser, web, { account: web.devnet.keeper });
    await open("/keepers?tab=settle");
    await page.getByRole("button", { name: "Settle the next page" }).click();
    await untilDone(page, "The page is settled.");
    await web.caughtUp();
    expect((await dueday().getRemitReadiness()).totals.transactions).toBe(totals.transactions - 1);
    await page.getByRole("button", { name: `Settle all ${totals.transactions - 1} pages` }).click();
    await page.getByText("Nothing to settle").waitFor();
    expect(await dueday().getRemitReadiness()).toMatchObject({ ready: false, totals: { transactions: 0 } });
    expect(faults).toEqual([]);
  });

  test("creates, edits and cancels a subscription by keyboard alone", async () => {
    const { page, faults, wallet } = await openPage(browser, web, { account: provider });

    await page.goto(`${web.url}/app/sell`);
    await pressEnter(page, page.getByRole("banner").getByRole("button", { name: "Connect wallet" }));
    await pressEnter(page, page.getByRole("dialog").getByRole("button", { name: wallet.name }));
    await typeInto(page, page.getByLabel("Name"), "Made by keyboard");
    await typeInto(page, page.getByLabel("Price"), "7.25");
    await pressEnter(page, page.getByRole("button", { name: "Create the plan" }));
    await page.getByRole("region", { name: "Share the checkout" }).waitFor();
    // The address of the page that was opened ends in it.
    const created = page.url().split("/").at(-1) as Hex;
    expect(await record(created)).toEqual({
      amount: 7_250_000_000_000_000_000n,
      provider: provider.address,
      cancelled: false,
      frequency: 1,
      dueDay: 1,
    });

    await pressEnter(page, page.getByRole("button", { name: "Edit or cancel" }));
    await page.locator("dd", { hasText: "Made by keyboard" }).waitFor();
    // The form begins with what is published.
    expect(await page.getByLabel("New description").inputValue()).toBe("Made by keyboard");
    await typeInto(page, page.getByLabel("New description"), "Edited by keyboard");
    await pressEnter(page, page.getByRole("button", { name: "Publish the details" }));
    await untilDone(page, "The details are published.");
    await page.locator("dd", { hasText: "Edited by keyboard" }).waitFor();

    await pressEnter(page, page.getByRole("button", { name: "Cancel this subscription" }));
    await pressEnter(page, page.getByRole("button", { name: "Cancel it for everybody" }));
    await untilDone(page, "It is cancelled.");
    await page.getByText("You have cancelled this plan").waitFor();
    expect((await record(created)).cancelled).toBe(true);
    expect(faults).toEqual([]);
  });

  test("a wallet that is only at window.ethereum is offered by the pages and the checkout, connects, and is connected again after a reload", async () => {
    const place = { isAnnounced: false, isAtWindow: true };
    const { page, context, faults } = await openPage(browser, web, { account: joiner, ...place });
    await page.goto(`${web.url}/app/keepers`);
    const header = page.getByRole("banner");
    await header.getByRole("button", { name: "Connect wallet" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Browser wallet" }).click();
    await header.getByRole("button", { name: /^0x/ }).waitFor();
    await page.reload();
    await header.getByRole("button", { name: /^0x/ }).waitFor();
    await page.goto(`${web.url}/pay/${id}`);
    await page.getByRole("button", { name: "Choose a wallet" }).click();
    await page.getByRole("button", { name: "Browser wallet" }).click();
    await page.locator(`code[title="${joiner.address}"]`).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a wallet at window.ethereum that also announces itself, in time or late, is offered once, under its name", async () => {
    const inTime = await openPage(browser, web, { account: joiner, isAtWindow: true });
    const late = await openPage(browser, web, { account: joiner, isAtWindow: true, isAnnounced: false });
    const places = [
      ["/app/keepers", "Connect wallet"],
      [`/pay/${id}`, "Choose a wallet"],
    ] as const;
    for (const [path, choose] of places) {
      for (const { page } of [inTime, late]) {
        await page.goto(`${web.url}${path}`);
        await page.getByRole("button", { name: choose }).first().click();
      }
      const named = ({ page, wallet }: typeof late) => page.getByRole("button", { name: wallet.name });
      const unnamed = ({ page }: typeof late) => page.getByRole("button", { name: "Browser wallet" });
      await named(inTime).waitFor();
      // The page that was opened second offers it, so the time to announce a wallet is over on both.
      await unnamed(late).waitFor();
      expect(await unnamed(inTime).count()).toBe(0);
      const info = { uuid: "late", name: late.wallet.name, icon: "data:image/gif;base64,", rdns: "test.late" };
      await late.page.evaluate(
        `dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info: ${JSON.stringify(info)}, provider: ethereum } }))`,
      );
      await named(late).waitFor();
      expect(await unnamed(late).count()).toBe(0);
    }
    await Promise.all([inTime.context.close(), late.context.close()]);
  });
});
