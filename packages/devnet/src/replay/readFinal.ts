import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { BaseError, ContractFunctionRevertedError, type Hex } from "viem";
import type { AccountRow, FinalState, FinalSubscription, Reverted } from "./scenario";
import type { ReplayContext } from "./setUp";

/** Reads the state of the replayed contract in the form of `final` in a scenario. */
export async function readFinal(context: ReplayContext): Promise<FinalState> {
  const { client, contract, scenario, names } = context;
  const protocol = { address: contract, abi: protocolAbi } as const;
  const nextUncheckedDay = await client.readContract({ ...protocol, functionName: "nextUncheckedDay" });

  const subscriptions: FinalState["subscriptions"] = {};
  for (const step of scenario.steps) {
    if (step.op !== "createSubscription" || step.as === undefined) continue;
    subscriptions[step.as] = await readSubscription(context, names.hexOf(step.as));
  }
  const accounts: FinalState["accounts"] = {};
  for (const name of scenario.accounts) {
    const subscribedTo = await readRows(context, name, true);
    const created = await readRows(context, name, false);
    // The records have a row for each provider and subscriber, but none for admin, janitor and keeper.
    const hasRole = name.startsWith("provider") || name.startsWith("subscriber");
    if (hasRole || subscribedTo.length > 0 || created.length > 0) accounts[name] = { subscribedTo, created };
  }
  return { nextUncheckedDay, subscriptions, accounts, balances: await readBalances(context) };
}

async function readSubscription(context: ReplayContext, id: Hex): Promise<FinalSubscription> {
  const { client, contract, names } = context;
  const protocol = { address: contract, abi: protocolAbi } as const;
  const [, amount, provider, token, cancelled, frequency, dueDay] = await client.readContract({
    ...protocol,
    functionName: "idSubMap",
    args: [id],
  });
  const subscribers = await orReverted(
    client
      .readContract({ ...protocol, functionName: "getSubscribersById", args: [id] })
      .then((rows) =>
        rows.map((row) => ({ subscriber: names.nameOf(row.subscriber), feeBalance: row.feeBalance.toString() })),
      ),
  );
  const due = await orReverted(
    client
      .readContract({ ...protocol, functionName: "getIdByTime", args: [BigInt(frequency), dueDay] })
      .then((ids) => ids.map((each) => names.nameOf(each))),
  );
  return {
    amount: amount.toString(),
    provider: names.nameOf(provider),
    token: names.nameOf(token),
    cancelled,
    frequency,
    dueDay,
    subscribers,
    due,
  };
}

async function readRows(context: ReplayContext, name: string, bySubscriber: boolean): Promise<AccountRow[]> {
  const { client, contract, names } = context;
  const rows = await client.readContract({
    address: contract,
    abi: protocolAbi,
    functionName: "getAccountSubscriptions",
    args: [bySubscriber, names.addressOf(name)],
  });
  return rows.map(({ subscription, status, totalSubscribers }) => ({
    sub: names.nameOf(subscription.id),
    status,
    totalSubscribers: Number(totalSubscribers),
  }));
}

async function readBalances({ client, scenario, tokens, names }: ReplayContext): Promise<FinalState["balances"]> {
  const balances: FinalState["balances"] = {};
  for (const token of tokens) {
    const held: Record<string, string> = {};
    for (const name of [...scenario.accounts, "protocol"]) {
      const args = [names.addressOf(name)] as const;
      const balance = await client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args });
      if (balance > 0n) held[name] = balance.toString();
    }
    balances[names.nameOf(token)] = held;
  }
  return balances;
}

async function orReverted<T>(read: Promise<T>): Promise<T | Reverted> {
  try {
    return await read;
  } catch (error) {
    const reverted =
      error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError);
    if (reverted) return { revert: true };
    throw error;
  }
}
