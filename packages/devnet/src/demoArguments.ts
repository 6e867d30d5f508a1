import { permitViewsAbi } from "@dueday/core/abi/permit";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { PERMIT_TYPES } from "@dueday/core/permit/permit";
import type { Address, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { cancelledPlan, type DemoPlan, demoPlans } from "./scenarios/demoPlans";
import { DEVNET_CHAIN_ID } from "./startAnvil";
import type { Devnet } from "./startDevnet";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "./testAccount";

/** The part of an operation of the service that its inputs follow from. */
type InputOwner = { name: string; input: { properties: Readonly<Record<string, object>> } };

/** Returns inputs of an operation that the demo chain can answer, by name. */
export type DemoArguments = (operation: InputOwner) => Record<string, unknown>;

/** The plan that all arguments refer to, and a wallet that is funded in its token without being subscribed. */
const PLAN = "reader";
const JOINER = 0;
/** A block with one transaction. */
const BLOCK = 5n;

/**
 * Makes inputs that the demo chain can answer. The roles, and how a permit or an approval is named, follow from the operation's name,
 * everything else from the names of its inputs, so an operation that is added later gets inputs, too; an input with a new name keeps
 * its own example.
 */
export async function demoArguments(devnet: Devnet): Promise<DemoArguments> {
  const plan = demoPlans.find(({ key }) => key === PLAN);
  if (plan === undefined || cancelledPlan === plan.key) throw new Error(`the demo has no open ${PLAN}`);
  const id = planId(devnet);
  const { client, contract: address } = devnet;
  const subMap = { address, abi: protocolAbi, functionName: "idSubMap", args: [id] } as const;
  const [, , provider, token, cancelled, frequency, dueDay] = await client.readContract(subMap);
  const { transactions } = await client.getBlock({ blockNumber: BLOCK });
  const member = subscriber(plan.subscribers[0]);
  const known: Record<string, unknown> = {
    id,
    subscription: { id, amount: plan.amount, provider, token, cancelled, frequency, dueDay },
    token,
    provider,
    subscriber: member,
    txHash: transactions[0],
    ...(await signPermit(devnet, token, testAccount(ACCOUNT_INDEX.firstSubscriber + plan.subscribers[0]))),
    leave: id,
    join: devnet.subscriptions[otherPlan(plan)],
  };
  return ({ name, input }) => {
    const isOfProvider = name.includes("provider") || ["list_payments", "list_at_risk"].includes(name);
    const account = isOfProvider ? provider : member;
    const roles = { from: signerOf(name), address: account, account };
    const wanted = Object.keys(input.properties).filter((key) => key in known || key in roles);
    const optional = new Set(["simulateFromAddress", "provider"]);
    const isByPermitId = ["prepare_submit_permit", "withdraw_permit"].includes(name);
    if (isByPermitId || !name.includes("permit"))
      for (const key of ["value", "deadline", "signature"]) optional.add(key);
    // Here `subscription` is a filter by id, which would shorten a list that is short already.
    if (Reflect.get(input.properties.subscription ?? {}, "type") === "string") optional.add("subscription");
    // An approval is renewed by id or by token, and a permit named by its id or by what was signed, not by both.
    if (isByPermitId || name === "prepare_approve") optional.add("token");
    const argument = (key: string): unknown => {
      const value: unknown = Reflect.get({ ...known, ...roles }, key);
      return Reflect.get(input.properties[key] ?? {}, "type") === "array" ? [value] : value;
    };
    return Object.fromEntries(wanted.filter((key) => !optional.has(key)).map((key) => [key, argument(key)]));
  };

  function signerOf(name: string): Address {
    if (/by_provider|cancel|create|edit/.test(name)) return provider;
    if (/unsubscribe|approve|change_plan|permit/.test(name)) return member;
    return name.includes("subscribe") ? subscriber(JOINER) : devnet.keeper.address;
  }
}

/** A permit that the account has signed for the contract, valid for 20 days. */
export async function signPermit(
  { client, contract }: Devnet,
  token: Address,
  { address: owner, privateKey }: TestAccount,
) {
  const [name, nonce, { timestamp }] = await Promise.all([
    client.readContract({ address: token, abi: permitViewsAbi, functionName: "name" }),
    client.readContract({ address: token, abi: permitViewsAbi, functionName: "nonces", args: [owner] }),
    client.getBlock(),
  ]);
  const [value, deadline] = [100_000_000n, timestamp + 20n * 86_400n];
  const { Permit } = PERMIT_TYPES;
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: { name, version: "2", chainId: DEVNET_CHAIN_ID, verifyingContract: token },
    types: { Permit },
    primaryType: "Permit",
    message: { owner, spender: contract, value, nonce, deadline },
  });
  return { value: value.toString(), deadline: deadline.toString(), signature };
}

/** Key of an open plan in the token of `plan` that the first subscriber of `plan` does not pay. */
function otherPlan({ key, token, subscribers: [member] }: DemoPlan): string {
  const other = demoPlans.find(
    ({ subscribers: [first, count], ...each }) =>
      each.key !== key &&
      each.key !== cancelledPlan &&
      each.token === token &&
      !(first <= member && member < first + count),
  );
  if (other === undefined) throw new Error(`the demo has no plan to change to from ${key}`);
  return other.key;
}

/** The token of the plan that all arguments refer to. */
export async function planToken({ client, contract: address, ...devnet }: Devnet): Promise<Address> {
  const args = [planId({ client, contract: address, ...devnet })] as const;
  const [, , , token] = await client.readContract({ address, abi: protocolAbi, functionName: "idSubMap", args });
  return token;
}

export function planId(devnet: Devnet): Hex {
  const id = devnet.subscriptions[PLAN];
  if (id === undefined) throw new Error(`the demo has no ${PLAN}`);
  return id;
}

function subscriber(index: number): Address {
  return testAccount(ACCOUNT_INDEX.firstSubscriber + index).address;
}
