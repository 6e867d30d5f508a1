import { expect, test } from "bun:test"; // or from "vitest"
import { createDueday } from "@dueday/sdk";
import { duedayActions } from "@dueday/sdk/actions";
import { startDueday, type Wallet } from "@dueday/testkit";
import { createWalletClient, http, parseAbi, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { foundry } from "viem/chains";

const MONTHS = 3;
const TIMEOUT_MS = 120_000;

test(
  "a subscriber pays for three months, fails in the fourth, and gets its fee balance back when the provider removes it",
  async () => {
    await using stack = await startDueday({ scenario: "empty" });
    const { url, rpcUrl, contract, wallets } = stack;
    const dueday = createDueday({ baseUrl: url });
    const connect = ({ privateKey }: Wallet) =>
      createWalletClient({ account: privateKeyToAccount(privateKey), chain: foundry, transport: http(rpcUrl) })
        .extend(publicActions)
        .extend(duedayActions({ dueday, contract }));
    const [token] = stack.tokens;
    const [account] = wallets.subscribers;
    if (token === undefined || account === undefined) throw new Error("the scenario has tokens and subscribers");
    const [provider, subscriber] = [connect(wallets.provider), connect(account)];
    const statusOf = async () => (await dueday.getEntitlement({ id, account: account.address })).state;
    const toNextMonth = async () => {
      const { timestamp } = await provider.getBlock();
      const now = new Date(Number(timestamp) * 1000);
      await stack.travel({ to: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 12)) });
    };

    const terms = { amount: "10", token: token.address, frequency: 1, dueDay: 1 } as const;
    const { id } = await provider.createSubscription({ ...terms, details: { url: "", description: "Monthly" } });
    await subscriber.subscribe({ id, approvalPeriods: 12 });
    await stack.caughtUp();
    expect(await statusOf()).toBe("active");

    for (let month = 0; month < MONTHS; month++) {
      await toNextMonth();
      expect((await dueday.getRemitReadiness()).totals).toMatchObject({ payments: 1, failures: 0 });
      await stack.settle();
      expect(await statusOf()).toBe("active");
    }

    // The test token lets anybody burn: the subscriber has spent everything elsewhere.
    const abi = parseAbi([
      "function burn(address, uint256)",
      "function mint(address, uint256)",
      "function balanceOf(address) view returns (uint256)",
    ]);
    const test = { address: token.address, abi } as const;
    const balance = () => subscriber.readContract({ ...test, functionName: "balanceOf", args: [account.address] });
    await subscriber.writeContract({ ...test, functionName: "burn", args: [account.address, await balance()] });
    await toNextMonth();
    expect((await dueday.getRemitReadiness()).totals).toMatchObject({ payments: 1, failures: 1 });
    await stack.settle();
    expect(await statusOf()).toBe("failed");

    await subscriber.writeContract({ ...test, functionName: "mint", args: [account.address, 10n ** 9n] });
    await stack.caughtUp();
    await subscriber.subscribe({ id, approvalPeriods: 12 });
    await stack.caughtUp();
    const before = await balance();
    const removal = { from: provider.account.address, id, subscriber: account.address };
    const prepared = await dueday.prepareUnsubscribeByProviderById(removal);
    for (const { to, data } of prepared.unsignedTransactions) await provider.sendTransaction({ to, data });
    await stack.caughtUp();
    expect(await balance()).toBeGreaterThan(before);

    const { events } = await dueday.listEvents({ subscriber: account.address, first: 200 });
    const charges = events.flatMap(({ type, data }) => {
      if (type === "payment.refunded") return [`${type} to ${data.to}`];
      return type === "payment.paid" || type === "payment.failed" ? [type] : [];
    });
    expect(charges).toEqual([
      "payment.paid", // the first, on subscribing
      ...Array.from({ length: MONTHS }, () => "payment.paid"),
      "payment.refunded to provider", // what is left of the fee balance
      "payment.failed",
      "payment.paid",
      "payment.refunded to subscriber",
    ]);
  },
  TIMEOUT_MS,
);
