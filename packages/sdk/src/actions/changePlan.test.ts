import { afterAll, expect, test } from "bun:test";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { devnetChain } from "@dueday/devnet/devnetChain";
import { demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { changePlan } from "@dueday/sdk/actions";
import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const { api, devnet, stop } = await startDemoApi();
afterAll(stop);

const { client, contract } = devnet;
const dueday = createDueday({ baseUrl: api.url });
const leave = devnet.subscriptions.reader ?? "0x";
const join = devnet.subscriptions.nano ?? "0x";
const [first = 0] = demoPlans.find(({ key }) => key === "reader")?.subscribers ?? [];
const { privateKey, address } = testAccount(ACCOUNT_INDEX.firstSubscriber + first);
const account = privateKeyToAccount(privateKey);
const wallet = createWalletClient({ account, chain: devnetChain, transport: http(devnet.url), pollingInterval: 10 });

async function plans(): Promise<Hex[]> {
  const rows = await client.readContract({
    address: contract,
    abi: protocolAbi,
    functionName: "getAccountSubscriptions",
    args: [true, address],
  });
  return rows.filter(({ status }) => status === 0).map(({ subscription }) => subscription.id);
}

type Prepared = { to: Hex; data: Hex; value: string; chainId: number; from: Hex }[];

/** The service, but for the transactions that it prepares. */
function lying(change: (transactions: Prepared) => Prepared) {
  return {
    prepareChangePlan: async (...given: Parameters<typeof dueday.prepareChangePlan>) => {
      const answer = await dueday.prepareChangePlan(...given);
      if (!("unsignedTransactions" in answer)) throw new Error("asked for transactions");
      return { ...answer, unsignedTransactions: change(answer.unsignedTransactions) };
    },
  };
}

test("nothing is signed where the order, a plan, the contract or the approval is another one", async () => {
  const refusalOf = (source: Parameters<typeof changePlan>[1]["dueday"]) =>
    changePlan(wallet, { dueday: source, contract, leave, join }).then(
      () => "signed",
      ({ code }) => code,
    );
  const approval = (to: Hex, units: bigint) => encodeApprove(to, units);
  expect(await refusalOf(lying((all) => all.toReversed()))).toBe("REFUSED");
  expect(await refusalOf(lying((all) => all.slice(1)))).toBe("REFUSED");
  expect(await refusalOf(lying((all) => all.map((each) => ({ ...each, to: address }))))).toBe("REFUSED");
  expect(
    await refusalOf(
      lying(([one, ...rest]) => (one === undefined ? [] : [{ ...one, data: approval(address, 1n) }, one, ...rest])),
    ),
  ).toBe("REFUSED");
  // Another plan than the one that was asked for.
  const other = { prepareChangePlan: () => dueday.prepareChangePlan({ from: address, leave: join, join: leave }) };
  expect(await refusalOf(other)).toBe("NOT_READY");
  expect(await plans()).toContain(leave);
});

test("a wallet subscribes to one plan, then leaves another, after both were shown", async () => {
  const shown: string[] = [];
  const sent: string[] = [];
  const { receipts } = await changePlan(wallet, {
    dueday,
    contract,
    leave,
    join,
    approvalPeriods: 12,
    onChecked: (transactions) => void shown.push(...transactions.map(({ to }) => to)),
    onSent: (hash) => void sent.push(hash),
  });
  expect(shown.at(-1)).toBe(contract);
  expect(sent).toEqual(receipts.map(({ transactionHash }) => transactionHash));
  expect(shown).toHaveLength(receipts.length);
  const now = await plans();
  expect(now).toContain(join);
  expect(now).not.toContain(leave);
});
