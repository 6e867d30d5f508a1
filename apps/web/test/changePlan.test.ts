import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import type { Browser } from "playwright-core";
import { type Address, erc20Abi, parseEther, parseUnits } from "viem";
import { findAxeFaults } from "./findAxeFaults";
import { findLayoutFaults } from "./findLayoutFaults";
import { openPage } from "./openPage";
import { startWebDemo, type WebDemo } from "./startWebDemo";
import { untilLoaded } from "./webViews";

setDefaultTimeout(240_000);

const DECIMALS = 6;
const provider = testAccount(ACCOUNT_INDEX.firstProvider);
const SIGNING = ["eth_sendTransaction", "wallet_sendCalls"];
const PRICE = parseUnits("5", DECIMALS);

describe.if(ensureBrowser())("changing a plan", () => {
  let web: WebDemo;
  let browser: Browser;
  let token: Address;

  beforeAll(async () => {
    [web, browser] = await Promise.all([startWebDemo(demo), openBrowser()]);
    [token = web.devnet.contract] = web.devnet.tokens;
    // A backlog would charge a new subscriber for days of the past, too.
    await settle(web.devnet);
    await web.caughtUp();
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
  });

  const target = () => ({
    client: web.devnet.client,
    contract: web.devnet.contract,
    admin: testAccount(ACCOUNT_INDEX.admin).address,
  });
  const balanceOf = (account: Address) =>
    web.devnet.client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] });
  const createPlan = (amount: string, frequency: 1 | 3, description: string) =>
    createSubscription(target(), provider.address, {
      amount: parseEther(amount),
      token,
      frequency,
      dueDay: 20,
      details: { url: "", description },
    });
  const unitsIn = (text: string | null | undefined) =>
    parseUnits(/\d[\d,]*(?:\.\d+)?/.exec(text ?? "")?.[0].replaceAll(",", "") ?? "0", DECIMALS);

  test.each([
    ["in one batch", 1, true, ["wallet_sendCalls"]],
    ["by a wallet without EIP-5792, one transaction after another", 2, false, Array(3).fill("eth_sendTransaction")],
  ] as const)(
    "%s: what is charged, what goes to the seller and the next date are what the page has shown",
    async (_, place, batches, signed) => {
      const { client } = web.devnet;
      // Nobody in the demo, so the node does not hold its key.
      const account = testAccount(ACCOUNT_INDEX.firstSubscriber + 200 + place);
      await client.setBalance({ address: account.address, value: parseEther("10") });
      await client.impersonateAccount({ address: account.address });
      await fund(target(), token, account.address, 1_000n * PRICE, 10n * PRICE);
      const leave = await createPlan("5", 1, `Small ${place}`);
      const join = await createPlan("120", 3, `Large ${place}`);
      await subscribe(target(), account.address, leave);
      await web.caughtUp();

      const { page, open, wallet, faults, context } = await openPage(browser, web, { account, batches });
      await page.setViewportSize({ width: 390, height: 844 });
      await open("/my");
      await page.getByRole("button", { name: `Change Small ${place}` }).click();
      const choice = page.getByLabel("Change to");
      await choice
        .getByRole("option", { name: `Large ${place}, 120.00 HUSD each year` })
        .waitFor({ state: "attached" });
      expect(await page.getByRole("button", { name: "Change the plan" }).isDisabled()).toBe(true);
      await choice.selectOption({ label: `Large ${place}, 120.00 HUSD each year` });
      const fact = (name: string) =>
        page.locator("main dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd");
      await fact("Charged now").waitFor();
      await untilLoaded(page);
      expect(await findAxeFaults(page)).toEqual([]);
      expect(await findLayoutFaults(page)).toEqual([]);
      const [charged, toSeller, next, back, approval] = await Promise.all(
        ["Charged now", "To the seller", "Next charge", "Back to you", "Approval"].map((name) =>
          fact(name).textContent(),
        ),
      );
      expect([back, approval]).toEqual(["nothing", "signed with it, for 12 payments"]);

      const dueday = createDueday({ baseUrl: web.url });
      const change = { from: account.address, leave, join, approvalPeriods: 12, readinessOnly: true } as const;
      const { toProviderRaw } = (await dueday.prepareChangePlan(change)).details.join.initialCharge;
      const [paidBefore, sellerBefore] = await Promise.all([account.address, provider.address].map(balanceOf));
      await page.getByRole("button", { name: "Change the plan" }).click();
      await page.getByRole("status").filter({ hasText: "You have changed the plan." }).waitFor();
      expect(wallet.requests.filter((method) => SIGNING.includes(method))).toEqual([...signed]);
      expect((paidBefore ?? 0n) - (await balanceOf(account.address))).toBe(unitsIn(charged));
      expect((await balanceOf(provider.address)) - (sellerBefore ?? 0n)).toBe(
        unitsIn(toSeller) + BigInt(toProviderRaw),
      );
      const [old, present] = await Promise.all(
        [leave, join].map((id) => dueday.getEntitlement({ id, account: account.address })),
      );
      expect([old?.state, present?.state]).toEqual(["unsubscribed", "active"]);
      expect(next).toContain(String(Number(present?.nextDueDate?.slice(8))));
      await page.getByRole("button", { name: `Change Large ${place}` }).waitFor();
      expect(await page.getByRole("button", { name: `Change Small ${place}` }).count()).toBe(0);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test("is not offered to another wallet, and a change that the chain refuses says why", async () => {
    const account = testAccount(ACCOUNT_INDEX.firstSubscriber + 203);
    await web.devnet.client.setBalance({ address: account.address, value: parseEther("10") });
    await web.devnet.client.impersonateAccount({ address: account.address });
    await fund(target(), token, account.address, 2n * PRICE, 10n * PRICE);
    await subscribe(target(), account.address, await createPlan("5", 1, "Small 3"));
    await createPlan("5000", 3, "Too large");
    await web.caughtUp();
    const own = await openPage(browser, web, { account });
    await own.open("/my");
    await own.page.getByRole("button", { name: "Change Small 3" }).click();
    await own.page.getByLabel("Change to").selectOption({ label: "Too large, 5,000.00 HUSD each year" });
    await own.page.getByText("This change is not possible now").waitFor();
    expect(await own.page.getByRole("button", { name: "Change the plan" }).isDisabled()).toBe(true);
    const other = await openPage(browser, web, { account: provider });
    await other.open(`/my?account=${account.address}`);
    await other.page.getByRole("button", { name: "Change Small 3" }).click();
    await other.page.getByText("This is another account than that of your wallet").first().waitFor();
    expect(await other.page.getByRole("button", { name: "Change the plan" }).count()).toBe(0);
    await Promise.all([own.context.close(), other.context.close()]);
  });
});
