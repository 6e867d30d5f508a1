import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { freePort } from "@dueday/db/embedded/freePort";
import { approve, createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "@dueday/devnet/testAccount";
import { startDemoMail } from "@dueday/local/startDemoMail";
import { createDueday } from "@dueday/sdk";
import { createLocalDueday } from "@dueday/sdk/local";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { testDepth } from "@dueday/test-support/testDepth";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Browser, Page } from "playwright-core";
import { type Address, erc20Abi, type Hex, parseEther, parseUnits } from "viem";
import { findAxeFaults } from "./findAxeFaults";
import { findLayoutFaults } from "./findLayoutFaults";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { untilLoaded } from "./webViews";

setDefaultTimeout(240_000);

/** Nobody in the demo, so the node does not hold their keys. */
const person = (index: number) => testAccount(ACCOUNT_INDEX.firstSubscriber + 100 + index);
const provider = testAccount(ACCOUNT_INDEX.firstProvider);
const DECIMALS = 6;
/** Of the longest list. */
const MANY = testDepth > 1 ? 300 : 100;
const DAYS = 35;
const PRICE = "5";
const PLENTY = parseUnits("100000", DECIMALS);
const SIGNING = ["eth_sendTransaction", "wallet_sendCalls", "personal_sign", "eth_signTypedData_v4"];

describe.if(ensureBrowser())("what an account pays", () => {
  let web: WebDemo;
  let browser: Browser;
  let mail: Awaited<ReturnType<typeof startDemoMail>>;
  let husd: Address;

  beforeAll(async () => {
    mail = await startDemoMail(0);
    const port = await freePort();
    const settings = {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: "Dueday <reminders@dueday.example>",
    };
    [web, browser] = await Promise.all([startWebDemo(demo, settings), openBrowser()]);
    const [first] = web.devnet.tokens;
    if (first === undefined) throw new Error("the demo has no token");
    husd = first;
    // A backlog would charge a new subscriber for days of the past, too.
    await settle(web.devnet);
    await web.caughtUp();
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
    await mail?.stop();
  });

  const target = () => ({
    client: web.devnet.client,
    contract: web.devnet.contract,
    admin: testAccount(ACCOUNT_INDEX.admin).address,
  });
  const dueday = () => createDueday({ baseUrl: web.url });
  /** By the chain alone, without the service. */
  const healthOnChain = (address: Address, days = DAYS) =>
    createLocalDueday({ client: web.devnet.client, contract: web.devnet.contract }).getAccountHealth({ address, days });
  const erc20 = (token: Address) => ({ address: token, abi: erc20Abi }) as const;
  const balanceOf = (token: Address, account: Address) =>
    web.devnet.client.readContract({ ...erc20(token), functionName: "balanceOf", args: [account] });
  const allowanceOf = (token: Address, account: Address) =>
    web.devnet.client.readContract({
      ...erc20(token),
      functionName: "allowance",
      args: [account, web.devnet.contract],
    });
  const unitsIn = (text: string | null) =>
    parseUnits(/[\d,]+(?:\.\d+)?/.exec(text ?? "")?.[0].replaceAll(",", "") ?? "", DECIMALS);
  const fact = (page: Page, name: string) =>
    page.locator("main dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd");
  const untilDone = (page: Page, sentence: string) =>
    page.getByRole("status").filter({ hasText: sentence }).and(page.locator('[data-step="done"]')).waitFor();

  async function admit({ address }: TestAccount): Promise<void> {
    const { client } = web.devnet;
    await client.setBalance({ address, value: parseEther("10") });
    await client.impersonateAccount({ address });
  }

  async function join(account: TestAccount, ids: readonly Hex[]): Promise<void> {
    for (const id of ids) await subscribe(target(), account.address, id);
  }

  /** New monthly plans on all days of a month, which the account pays. */
  async function payMany(account: TestAccount, count: number): Promise<Hex[]> {
    await admit(account);
    await fund(target(), husd, account.address, PLENTY, PLENTY);
    const ids: Hex[] = [];
    for (let index = 0; index < count; index++) {
      const terms = { amount: parseEther(PRICE), token: husd, frequency: 1, dueDay: 1 + (index % 28) } as const;
      const details = { url: "", description: `Plan ${index} of ${count}` };
      ids.push(await createSubscription(target(), provider.address, { ...terms, details }));
    }
    await join(account, ids);
    return ids;
  }

  test.each([[1, 1], ...(testDepth > 1 ? [[2, 20] as const] : []), [3, MANY]] as const)(
    "account %d with %d plans: all are listed, and one button leaves no failure in the window",
    async (index, count) => {
      const account = person(index);
      await payMany(account, count);
      await fund(target(), husd, account.address, PLENTY, 0n);
      await web.caughtUp();
      const before = await healthOnChain(account.address);
      // Who joins right before a due day has paid for the period after it too.
      expect(before.failures.length).toBeGreaterThan(0);

      const { page, wallet, faults } = await openPage(browser, web, { account, batches: true });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(`${web.url}/app/my?account=${account.address}`);
      // A plan has one failing charge at most: that ends it.
      const failing = new Set(before.failures.map(({ id }) => id)).size;
      await page.getByText(failing === 1 ? "A charge will fail" : `${failing} charges will fail`).waitFor();
      await untilLoaded(page);
      const table = page.getByRole("region", { name: "Plans of this account" }).locator("table");
      expect(await table.getAttribute("aria-rowcount")).toBe(String(count + 1));
      for (const [width, scheme] of [
        [390, "light"],
        [1440, "dark"],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: scheme });
        expect({ width, axe: await findAxeFaults(page) }).toEqual({ width, axe: [] });
        expect({ width, layout: await findLayoutFaults(page) }).toEqual({ width, layout: [] });
      }
      await page.getByRole("button", { name: "Repair all" }).click();
      await untilDone(page, "The approvals are set.");
      await page.getByText(`Every charge of the next ${DAYS} days passes`).waitFor();
      expect(wallet.requests.filter((method) => SIGNING.includes(method))).toHaveLength(1);
      expect((await healthOnChain(account.address)).failures).toEqual([]);

      await page.getByLabel("Look ahead").selectOption("a year");
      await page.getByRole("button", { name: "Repair all" }).click();
      await page.getByText("Every charge of the next 366 days passes").waitFor();
      expect((await healthOnChain(account.address, 366)).failures).toEqual([]);
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );

  test("what an approval can't repair is named as an amount to add, and with it no failure is left", async () => {
    const account = person(4);
    await payMany(account, 3);
    const held = parseUnits("7", DECIMALS);
    await fund(target(), husd, account.address, held, 0n);
    await web.caughtUp();
    const { page, open } = await openPage(browser, web, { account });
    await open(`/my?account=${account.address}`);
    const missing = unitsIn(await fact(page, "To add to the wallet").textContent());
    await page.getByRole("button", { name: "Repair all" }).click();
    await untilDone(page, "The approvals are set.");
    const left = await healthOnChain(account.address);
    expect(new Set(left.failures.map(({ cause }) => cause))).toEqual(new Set(["balance"]));
    await fund(target(), husd, account.address, held + missing, await allowanceOf(husd, account.address));
    expect((await healthOnChain(account.address)).failures).toEqual([]);
    await web.caughtUp();
    await page.reload();
    await page.getByText(`Every charge of the next ${DAYS} days passes`).waitFor();
    await page.context().close();
  });

  test("cancelling names what moves before it: until when is paid, what the seller gets, and the approval that is revoked", async () => {
    const account = person(5);
    const [id = "0x"] = await payMany(account, 1);
    await web.caughtUp();
    const { page, open, wallet, faults } = await openPage(browser, web, { account, batches: true });
    await open("/my");
    await page.getByRole("button", { name: "Cancel Plan 0 of 1" }).click();
    const { paidThroughDate } = await dueday().getEntitlement({ id, account: account.address });
    const paidUntil = fact(page, "Paid until");
    await paidUntil.filter({ hasText: String(Number(paidThroughDate?.slice(8, 10))) }).waitFor();
    const text = await fact(page, "To the seller").textContent();
    const toSeller = text?.includes("no money moves") ? 0n : unitsIn(text);
    expect(await fact(page, "Back to you").textContent()).toBe("nothing");
    const choice = page.getByLabel(/^Also revoke the approval/);
    expect(await choice.isChecked()).toBe(true);
    const [seller, payer, allowance] = await Promise.all([
      balanceOf(husd, provider.address),
      balanceOf(husd, account.address),
      allowanceOf(husd, account.address),
    ]);
    expect(
      unitsIn(((await page.getByText("the contract may still take").textContent()) ?? "").split("take")[1] ?? ""),
    ).toBe(allowance);
    await page.getByRole("button", { name: "End my subscription" }).click();
    await untilDone(page, "You are no longer subscribed.");
    await page.getByText("This account pays nothing").waitFor();
    expect((await balanceOf(husd, provider.address)) - seller).toBe(toSeller);
    expect(await balanceOf(husd, account.address)).toBe(payer);
    expect(await allowanceOf(husd, account.address)).toBe(0n);
    expect(wallet.requests.filter((method) => SIGNING.includes(method))).toEqual(["wallet_sendCalls"]);
    expect((await dueday().getEntitlement({ id, account: account.address })).state).toBe("unsubscribed");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("an approval that other plans need stays, and another account's plans can be read but not changed", async () => {
    const [account, stranger] = [person(6), person(7)];
    await payMany(account, 2);
    await admit(stranger);
    await fund(target(), husd, account.address, PLENTY, 1n);
    await web.caughtUp();
    const own = await openPage(browser, web, { account });
    await own.open("/my");
    await own.page.getByRole("button", { name: "Cancel Plan 1 of 2" }).click();
    await own.page.getByText("stays: 1 other plan of this account needs it").waitFor();
    expect(await own.page.getByLabel(/^Also revoke/).count()).toBe(0);
    const other = await openPage(browser, web, { account: stranger });
    await other.open(`/my?account=${account.address}`);
    await other.page.getByText("This is another account than that of your wallet").first().waitFor();
    expect(await other.page.getByRole("button", { name: "Repair all" }).count()).toBe(0);
    await Promise.all([own.context.close(), other.context.close()]);
  });

  test("a mail's link leads from the inbox to repaired plans in two clicks and one signature; its mailbox was confirmed on a page, never by reading a link", async () => {
    const account = person(8);
    const { tokens, subscriptions } = web.devnet;
    const [, meridian] = tokens;
    if (meridian === undefined) throw new Error("the demo has no second token");
    await admit(account);
    for (const token of [husd, meridian])
      await fund(target(), token, account.address, parseEther("1000"), parseEther("1000"));
    await join(account, [subscriptions.nano ?? "0x", subscriptions.evening ?? "0x"]);
    await web.caughtUp();

    const desk = await openPage(browser, web, { account });
    await desk.open("/my");
    await desk.page.getByRole("button", { name: /^Sign in as/ }).click();
    await desk.page.getByLabel("Mailbox").fill("person@example.org");
    await desk.page.getByRole("button", { name: "Remind me" }).click();
    await desk.page.getByText("Waiting for your confirmation").waitFor();
    const inbox = await desk.context.newPage();
    const open = async (subject: RegExp) => {
      await waitUntil(`a mail ${subject}`, async () => subject.test(await (await fetch(mail.url)).text()));
      await inbox.goto(mail.url);
      await inbox.getByRole("link", { name: subject }).first().click();
    };
    await open(/Confirm your mailbox/);
    const link = (await inbox.getByRole("link", { name: "Confirm the mailbox" }).getAttribute("href")) ?? "";
    // As programs do that look at links before a person.
    for (const method of ["GET", "HEAD", "GET"]) await fetch(link, { method });
    await desk.page.getByRole("button", { name: "Look again" }).click();
    await untilLoaded(desk.page);
    expect(await desk.page.getByText("Waiting for your confirmation").count()).toBe(1);
    await inbox.getByRole("link", { name: "Confirm the mailbox" }).click();
    await inbox.getByRole("button", { name: "Confirm the mailbox" }).click();
    await inbox.getByText("The mailbox is confirmed").waitFor();
    await desk.page.getByRole("button", { name: "Look again" }).click();
    await desk.page.getByText("Confirmed: reminders go to person@example.org").waitFor();

    for (const token of [husd, meridian]) await approve(target(), token, account.address, 0n);
    await web.travel(1);
    await settle(web.devnet);
    await web.caughtUp();
    const phone = await openPage(browser, web, { account, batches: true });
    await phone.page.setViewportSize({ width: 390, height: 844 });
    await waitUntil("the mail about the failure", async () =>
      (await (await fetch(mail.url)).text()).includes("will fail"),
    );
    await phone.page.goto(mail.url);
    await phone.page
      .getByRole("link", { name: /will fail/ })
      .first()
      .click();
    // The first click.
    await phone.page.getByRole("link", { name: "Repair it" }).click();
    const repair = phone.page.getByRole("button", { name: "Repair all" });
    await repair.waitFor();
    await untilLoaded(phone.page);
    // The second one.
    await repair.click();
    await untilDone(phone.page, "The approvals are set.");
    expect(phone.wallet.requests.filter((method) => SIGNING.includes(method))).toEqual(["wallet_sendCalls"]);
    expect(phone.wallet.batch).toHaveLength(2);
    expect((await healthOnChain(account.address)).failures).toEqual([]);

    const text = await (await fetch(mail.url)).text();
    const unsubscribe = /https?:\/\/[^\s"<]+\/mail\/unsubscribe\?token=[\w-]+/.exec(text)?.[0] ?? "";
    await fetch(unsubscribe);
    await desk.page.reload();
    await desk.page.getByText("Confirmed: reminders go to").waitFor();
    const body = "List-Unsubscribe=One-Click";
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await fetch(unsubscribe, { method: "POST", headers, body })).status).toBe(200);
    await desk.page.reload();
    await desk.page.getByRole("button", { name: "Remind me" }).waitFor();
    expect(await desk.page.getByLabel("Mailbox").inputValue()).toBe("");
    await Promise.all([desk.context.close(), phone.context.close()]);
  });

  test("kinds are stored as chosen, and a mailbox is deleted only after a second click", async () => {
    const account = person(9);
    await payMany(account, 1);
    await web.caughtUp();
    const { page, open, context } = await openPage(browser, web, { account });
    await open("/my");
    await page.getByRole("button", { name: /^Sign in as/ }).click();
    await page.getByLabel("Mailbox").fill("other@example.org");
    await page.getByLabel("A receipt for each payment").check();
    await page.getByLabel("A summary of each week").uncheck();
    await page.getByRole("button", { name: "Remind me" }).click();
    await page.getByText("Waiting for your confirmation").waitFor();
    await page.reload();
    expect(await page.getByLabel("A receipt for each payment").isChecked()).toBe(true);
    expect(await page.getByLabel("A summary of each week").isChecked()).toBe(false);
    await page.getByRole("button", { name: "Delete the mailbox" }).click();
    await page.getByText("No more mails are sent.").waitFor();
    await page.getByRole("button", { name: "Delete the mailbox" }).click();
    await page.getByRole("button", { name: "Remind me" }).waitFor();
    await context.close();
  });

  test("a service without a mail server says so, and an address that is none is named", async () => {
    const { page, open, context } = await openPage(browser, web, { account: person(9) });
    await page.route("**/app/config.json", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), reminders: false } });
    });
    await open("/my");
    await page.getByText("Off: this service sends no mails").waitFor();
    await page.goto(`${web.url}/app/my?account=0x12`);
    await page.getByText("is not an address").waitFor();
    await context.close();
  });
});
