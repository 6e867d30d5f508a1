import { afterAll, expect, test } from "bun:test";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { devnetChain } from "@dueday/devnet/devnetChain";
import { demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday } from "@dueday/sdk";
import { signPermit, submitPermit } from "@dueday/sdk/actions";
import { type Address, createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const { api, devnet, stop } = await startDemoApi();
afterAll(stop);

const { client, contract } = devnet;
const dueday = createDueday({ baseUrl: api.url });
const [first = 0] = demoPlans.find(({ key }) => key === "reader")?.subscribers ?? [];
const { subscription } = await dueday.getSubscription({ id: devnet.subscriptions.reader ?? "0x" });
const token = subscription.token as Address; // checked by the service's schema
/** Each test has another payer: a permit changes its nonce and allowance. */
const payer = (place: number) => testAccount(ACCOUNT_INDEX.firstSubscriber + first + place);
const keeper = testAccount(ACCOUNT_INDEX.admin);

function walletOf({ privateKey }: { privateKey: Hex }) {
  const account = privateKeyToAccount(privateKey);
  return createWalletClient({ account, chain: devnetChain, transport: http(devnet.url), pollingInterval: 10 });
}

const allowance = (owner: Address) =>
  client.readContract({ address: token, abi: erc20Abi, functionName: "allowance", args: [owner, contract] });

test("a payer without ether signs, and a keeper submits: the allowance is the signed one", async () => {
  const { address } = payer(3);
  await client.setBalance({ address, value: 0n });
  const kept = await signPermit(walletOf(payer(3)), { dueday, contract, token, periods: 6 });
  expect(kept).toMatchObject({ owner: address, token, spender: contract });
  const { receipts } = await submitPermit(walletOf(keeper), { dueday, contract, permitId: kept.id });
  expect(receipts).toHaveLength(1);
  expect(await allowance(address)).toBe(BigInt(kept.valueRaw));
});

test("nothing is signed where the service prepares a higher allowance, another domain, another owner, or a longer deadline", async () => {
  const wallet = walletOf(payer(4));
  type Prepared = Awaited<ReturnType<typeof dueday.preparePermit>>;
  const refusalOf = async (change: (typedData: Prepared["typedData"]) => Prepared["typedData"]) => {
    const lying = {
      preparePermit: async (...given: Parameters<typeof dueday.preparePermit>) => {
        const answer = await dueday.preparePermit(...given);
        return { ...answer, typedData: change(answer.typedData) };
      },
      keepPermit: dueday.keepPermit,
    };
    return signPermit(wallet, { dueday: lying, contract, token, periods: 6 }).then(
      () => "signed",
      ({ code }) => code,
    );
  };
  const changed = (message: Partial<Prepared["typedData"]["message"]>) => (typedData: Prepared["typedData"]) => ({
    ...typedData,
    message: { ...typedData.message, ...message },
  });
  expect(await refusalOf(changed({ value: (2n ** 255n).toString() }))).toBe("REFUSED");
  expect(await refusalOf(changed({ owner: keeper.address }))).toBe("REFUSED");
  expect(await refusalOf(changed({ deadline: "9999999999" }))).toBe("REFUSED");
  expect(await refusalOf((data) => ({ ...data, domain: { ...data.domain, name: "Other" } }))).toBe("REFUSED");
  // What is not taken from the answer changes nothing.
  expect(await refusalOf(changed({ spender: keeper.address, nonce: "77" }))).toBe("signed");
});

test("nothing is submitted but permit() for the protocol, on a token that it accepts", async () => {
  const { id: permitId } = await signPermit(walletOf(payer(5)), { dueday, contract, token, periods: 6 });
  const refusalOf = async (change: { to?: Address; data?: Hex; value?: string }) => {
    const lying = {
      prepareSubmitPermit: async (...given: Parameters<typeof dueday.prepareSubmitPermit>) => {
        const answer = await dueday.prepareSubmitPermit(...given);
        if (!("unsignedTransactions" in answer)) throw new Error("asked for a transaction");
        const [prepared] = answer.unsignedTransactions;
        if (prepared === undefined) throw new Error("there is one");
        return { ...answer, unsignedTransactions: [{ ...prepared, ...change }] };
      },
    };
    return submitPermit(walletOf(keeper), { dueday: lying, contract, permitId }).then(
      () => "sent",
      ({ code }) => code,
    );
  };
  expect(await refusalOf({ data: encodeApprove(keeper.address, 1n) })).toBe("REFUSED");
  expect(await refusalOf({ to: keeper.address })).toBe("REFUSED");
  expect(await refusalOf({ value: "1" })).toBe("REFUSED");
  expect(await refusalOf({})).toBe("sent");
});
