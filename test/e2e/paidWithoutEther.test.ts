import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { renewals } from "@dueday/devnet/scenarios/renewals";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "@dueday/devnet/testAccount";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { openPage } from "@dueday/web/test/openPage";
import { startWebDemo, type WebDemo } from "@dueday/web/test/startWebDemo";
import type { Browser } from "playwright-core";
import { type Hex, isAddressEqual, parseEther } from "viem";
import { startProcess, type TestProcess } from "./startProcess";

setDefaultTimeout(300_000);

const ADMIN_SECRET = "an-admin-secret-for-tests";
/** Wei for one whole token: what a payment pays the keeper is worth more than its gas. */
const PRICE = parseEther("0.01");
const payers = [0, 1, 2].map((place) => testAccount(ACCOUNT_INDEX.firstSubscriber + place));
const provider = testAccount(ACCOUNT_INDEX.firstProvider);

let web: WebDemo;
let browser: Browser;
let keeper: TestProcess | undefined;

beforeAll(async () => {
  if (!ensureBrowser()) return;
  [web, browser] = await Promise.all([
    startWebDemo(renewals({ subscribers: payers.length }), { ADMIN_SECRET }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await keeper?.dispose();
  await browser?.close();
  await web?.stop();
});

/** On a phone, in the payer's browser, whose wallet has no ether. */
async function signRenewal(account: TestAccount): Promise<void> {
  await web.devnet.client.setBalance({ address: account.address, value: 0n });
  await web.caughtUp();
  const { page, open, context, wallet, faults } = await openPage(browser, web, { account });
  await page.setViewportSize({ width: 390, height: 844 });
  await open("/my");
  await page.getByRole("button", { name: "Renew by signature, without ether" }).click();
  const kept = page.getByText("Signed: a renewal of USDC waits to be submitted");
  await kept.waitFor();
  await page.reload();
  await kept.waitFor();
  expect(wallet.requests.filter((method) => /send|sign/i.test(method))).toEqual(["eth_signTypedData_v4"]);
  expect(faults).toEqual([]);
  await context.close();
}

/** What the page says once nothing is left to repair. */
async function expectCovered(account: TestAccount): Promise<void> {
  const { page, open, context } = await openPage(browser, web, { account });
  await open("/my");
  await page.getByText("Every charge of the next 35 days passes").waitFor();
  await context.close();
}

/** In the seller's browser. */
async function submitByHand(): Promise<void> {
  const { page, open, context, faults } = await openPage(browser, web, { account: provider });
  await open(`/providers/${provider.address}?tab=at-risk`);
  await page.getByRole("button", { name: /^Submit the signed approval of / }).click();
  await page.getByText("The approval is set.").waitFor();
  await page.getByText("None is left").waitFor();
  expect(faults).toEqual([]);
  await context.close();
}

async function createKey(): Promise<string> {
  const response = await fetch(`${web.url}/developer/keys`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_SECRET}` },
    body: JSON.stringify({ subjectId: "keeper" }),
  });
  return String(Object(await response.json()).key);
}

/** Settles as the program does that a keeper runs, with its own node. */
async function runKeeper(): Promise<void> {
  const { devnet, url } = web;
  const [token = devnet.contract] = devnet.tokens;
  const settles = ["--once", "--jitter", "0", "--min-profit", "0", "--price", `${token}:${PRICE}`];
  keeper = await startProcess("apps/keeper/src/main.ts", {
    args: ["--api", url, "--rpc", devnet.url, "--contract", devnet.contract, ...settles],
    env: { KEEPER_PRIVATE_KEY: devnet.keeper.privateKey, KEEPER_API_KEY: await createKey() },
  });
  expect({ code: await keeper.exited(), output: await keeper.output() }).toMatchObject({ code: 0 });
}

/** Where the transactions of an account after a block went, in order. */
async function sentBy(address: Hex, afterBlock: bigint) {
  const { client, contract } = web.devnet;
  const sent: ("remit" | "permit")[] = [];
  for (let number = afterBlock + 1n; number <= (await client.getBlockNumber()); number++) {
    const { transactions } = await client.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { from, to } of transactions)
      if (isAddressEqual(from, address)) sent.push(to !== null && isAddressEqual(to, contract) ? "remit" : "permit");
  }
  return sent;
}

test.if(ensureBrowser())(
  "payers without ether sign in the browser: the seller submits one by hand, the keeper the other before its remit because its fee pays for it, and both payments that would have failed are paid",
  async () => {
    const { client, contract, keeper: keeperAccount, tokens } = web.devnet;
    const [first, second, third] = payers;
    if (first === undefined || second === undefined || third === undefined) throw new Error("there are three payers");
    const [token = contract] = tokens;
    const allowanceOf = ({ address }: TestAccount) =>
      client.readContract({ address: token, abi: erc20Abi, functionName: "allowance", args: [address, contract] });

    const before = await allowanceOf(first);
    await signRenewal(first);
    expect(await allowanceOf(first)).toBe(before);
    await submitByHand();
    expect(await allowanceOf(first)).toBeGreaterThan(before);
    await expectCovered(first);

    await signRenewal(second);
    const block = await client.getBlockNumber();
    const held = await client.getBalance({ address: keeperAccount.address });
    await runKeeper();
    expect(await sentBy(keeperAccount.address, block)).toEqual(["permit", "remit"]);

    const logs = await client.getContractEvents({
      address: contract,
      abi: protocolAbi,
      eventName: "SubLog",
      fromBlock: block + 1n,
    });
    const subscribersOf = (...codes: number[]) =>
      logs.flatMap(({ args }) => (codes.includes(args.subScriptEvent ?? -1) ? [args.subscriber] : []));
    expect(new Set(subscribersOf(subLogCode.SubscriberPaid, subLogCode.FeeFill))).toEqual(
      new Set([first.address, second.address]),
    );
    expect(subscribersOf(subLogCode.Failed)).toEqual([third.address]);
    const spent = held - (await client.getBalance({ address: keeperAccount.address }));
    const earned = await client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [keeperAccount.address],
    });
    expect((earned * PRICE) / 1_000_000n).toBeGreaterThan(spent);
    await web.caughtUp();
    await expectCovered(second);
    for (const { address } of [first, second]) expect(await client.getBalance({ address })).toBe(0n);
  },
);
