import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fund } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser, Page } from "playwright-core";
import { type Address, erc20Abi, formatUnits, getAddress, type Hex, parseUnits } from "viem";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";

setDefaultTimeout(240_000);

/** Subscribed to nothing in the token of `reader`. */
const person = testAccount(ACCOUNT_INDEX.firstSubscriber + 59);
const poor = testAccount(ACCOUNT_INDEX.firstSubscriber + 58);
const DECIMALS = 6;

describe.if(ensureBrowser())("a plan's page before a wallet signs", () => {
  let web: WebDemo;
  let browser: Browser;
  let id: Hex;
  let token: Address;

  beforeAll(async () => {
    [web, browser] = await Promise.all([startWebDemo(demo), openBrowser()]);
    const { subscriptions, tokens } = web.devnet;
    const [first] = tokens;
    if (subscriptions.reader === undefined || first === undefined) throw new Error("the demo has no plan or no token");
    [id, token] = [subscriptions.reader, first];
    // A backlog would charge a new subscriber for days of the past, too.
    await settle(web.devnet);
    await give(person.address, "1000");
    await web.caughtUp();
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
  });

  const give = (account: Address, amount: string) => {
    const { client, contract } = web.devnet;
    const admin = testAccount(ACCOUNT_INDEX.admin).address;
    return fund({ client, contract, admin }, token, account, parseUnits(amount, DECIMALS), 0n);
  };
  const record = async () => (await createDueday({ baseUrl: web.url }).getSubscription({ id })).subscription;
  const erc20 = () => ({ address: token, abi: erc20Abi }) as const;
  const balanceOf = (account: Address) =>
    web.devnet.client.readContract({ ...erc20(), functionName: "balanceOf", args: [account] });
  const allowance = () =>
    web.devnet.client.readContract({
      ...erc20(),
      functionName: "allowance",
      args: [person.address, web.devnet.contract],
    });
  const fact = (page: Page, name: string) =>
    page.locator("main dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd");
  const untilDone = (page: Page, sentence: string) =>
    page.getByRole("status").filter({ hasText: sentence }).and(page.locator('[data-step="done"]')).waitFor();
  /** The first amount in a text, in token units. */
  const unitsIn = (text: string | null) =>
    parseUnits(/[\d,]+(?:\.\d+)?/.exec(text ?? "")?.[0].replaceAll(",", "") ?? "", DECIMALS);

  test("names what is charged now and later and how long approval and balance last; leaving names the money that moves, and the approval is revoked", async () => {
    const { page, open, faults } = await openPage(browser, web, { account: person, batches: true });
    await open(`/subscriptions/${id}`);
    const today = fact(page, "Today");
    const charged = unitsIn(await today.textContent());
    expect(await today.textContent()).toMatch(/for the days until|for a whole month|only the fee/);
    const next = await fact(page, "Next").textContent();
    expect(next).toMatch(/on \d/);
    const approval = fact(page, "Approval");
    expect(await approval.textContent()).toContain("for 12 charges after today, until");
    await page.getByLabel("Approve").selectOption("without limit");
    await approval.getByText("Without limit").waitFor();
    await page.getByLabel("Approve").focus();
    await page.getByLabel("Approve").selectOption("24 payments");
    await approval.getByText("for 24 charges after today").waitFor();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("SELECT");
    await page.getByLabel("Approve").selectOption("without limit");
    await approval.getByText("Without limit").waitFor();
    expect(await approval.textContent()).toContain("your balance ends first");
    await page.getByLabel("Approve").selectOption("12 payments");
    await approval.getByText("for 12 charges after today").waitFor();

    const before = await balanceOf(person.address);
    await page.getByRole("button", { name: "Approve and subscribe" }).click();
    await untilDone(page, "You are subscribed.");
    expect(before - (await balanceOf(person.address))).toBe(charged);

    await page.getByRole("button", { name: "Unsubscribe" }).click();
    const cost = page.getByRole("status").filter({ hasText: "Leaving returns nothing to you" });
    await cost.getByText("You have paid until").waitFor();
    const text = await cost.textContent();
    const toSeller = text?.includes("No money moves") ? 0n : unitsIn(text);
    const seller = getAddress((await record()).provider);
    const sellerHad = await balanceOf(seller);
    await page.getByRole("button", { name: "End my subscription" }).click();
    await untilDone(page, "You are no longer subscribed.");
    expect((await balanceOf(seller)) - sellerHad).toBe(toSeller);

    const left = page.getByRole("status").filter({ hasText: "The contract may still take" });
    await left.getByText("No other plan of this wallet needs the approval.").waitFor();
    expect(unitsIn(await left.textContent())).toBe(await allowance());
    await page.getByRole("button", { name: "Revoke the approval" }).click();
    await untilDone(page, "The approval is revoked.");
    expect(await allowance()).toBe(0n);

    await page.getByText("You had this plan before").waitFor();
    expect(await page.getByText("Subscribing again begins with a first charge of").textContent()).toContain(
      formatUnits(unitsIn(await fact(page, "Today").textContent()), DECIMALS),
    );
    expect(faults).toEqual([]);
  });

  test("names a balance that ends before the approval, and a wallet without ether for the network's fee", async () => {
    const price = parseUnits((await record()).amount, DECIMALS);
    const { client } = web.devnet;
    const { page, open } = await openPage(browser, web, { account: poor });
    await give(poor.address, formatUnits(price * 3n, DECIMALS));
    await web.caughtUp();
    await open(`/subscriptions/${id}`);
    await fact(page, "Approval").getByText("your balance ends first").waitFor();
    await client.setBalance({ address: poor.address, value: 0n });
    await page.reload();
    await page.getByText("too little ether for the network's fee").waitFor();
    await client.setBalance({ address: poor.address, value: parseUnits("1", 18) });
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("too little ether for the network's fee").waitFor({ state: "detached" });
  });

  test("a wallet that holds too little of the token can't subscribe, and reads what it needs", async () => {
    const { page, open } = await openPage(browser, web, { account: testAccount(ACCOUNT_INDEX.firstSubscriber + 57) });
    await open(`/subscriptions/${id}`);
    await page.getByText(/^This wallet holds too little/).waitFor();
    expect(await page.getByRole("button", { name: /subscribe$/i }).isDisabled()).toBe(true);
  });
});
