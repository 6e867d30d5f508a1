import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connectDatabase, type Database } from "@dueday/db/connectDatabase";
import { renewals } from "@dueday/devnet/scenarios/renewals";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser } from "playwright-core";
import { findAxeFaults } from "./findAxeFaults";
import { findLayoutFaults } from "./findLayoutFaults";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { untilLoaded } from "./webViews";

setDefaultTimeout(240_000);

const DEADLINE_MS = 60_000;
const SIGNING = ["eth_sendTransaction", "wallet_sendCalls", "personal_sign", "eth_signTypedData_v4"];
const account = testAccount(ACCOUNT_INDEX.firstSubscriber);

let web: WebDemo;
let browser: Browser;
let database: Database;

beforeAll(async () => {
  if (!ensureBrowser()) return;
  [web, browser] = await Promise.all([startWebDemo(renewals({ subscribers: 1 })), openBrowser()]);
  database = connectDatabase({ url: web.databaseUrl, deadlineMs: DEADLINE_MS });
});
afterAll(async () => {
  await browser?.close();
  await database?.close();
  await web?.stop();
});

test.if(ensureBrowser())(
  "a wallet without ether renews by one signature: no transaction is sent, the service keeps the permit, and its owner withdraws it",
  async () => {
    const { client } = web.devnet;
    const { address } = account;
    await client.setBalance({ address, value: 0n });
    await web.caughtUp();
    const transactions = await client.getTransactionCount({ address });
    const states = async () => (await database.sql`select state from permits order by seq`).map(({ state }) => state);
    const { page, open, wallet, faults, context } = await openPage(browser, web, { account });
    const signed = () => wallet.requests.filter((method) => SIGNING.includes(method));
    await page.setViewportSize({ width: 390, height: 844 });
    await open("/my");
    const renew = page.getByRole("button", { name: "Renew by signature, without ether" });
    await renew.waitFor();
    await page.getByText("for USDC").waitFor();
    expect(await findLayoutFaults(page)).toEqual([]);

    wallet.rejectNext();
    await renew.click();
    await page.getByText("Rejected in the wallet").waitFor();
    expect(await states()).toEqual([]);
    expect(signed()).toEqual(["eth_signTypedData_v4"]);

    await renew.click();
    await page.getByText("Signed: a renewal of USDC waits to be submitted").waitFor();
    expect(await states()).toEqual(["kept"]);
    expect(await findAxeFaults(page)).toEqual([]);
    expect(await findLayoutFaults(page)).toEqual([]);
    // It stays where the window is another one, and when the page is loaded again.
    await page.getByLabel("Look ahead").selectOption("a year");
    await untilLoaded(page);
    await page.reload();
    await page.getByText("Signed: a renewal of USDC waits to be submitted").waitFor();
    const withdraw = page.getByRole("button", { name: "Withdraw it" });
    await withdraw.click();
    await page.getByText("The service no longer keeps the renewal.").waitFor();
    expect(await states()).toEqual(["withdrawn"]);
    // The last one is the sign-in, which shows that it is the owner.
    expect(signed()).toEqual(["eth_signTypedData_v4", "eth_signTypedData_v4", "personal_sign"]);
    expect(await client.getTransactionCount({ address })).toBe(transactions);
    expect(faults).toEqual([]);
    await context.close();
  },
);
