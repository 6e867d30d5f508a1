import type { Tool } from "@dueday/api/surfaces/mcp/tool";
import { cancelledPlan, demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import type { Address, Hex } from "viem";

/** What the demo chain can answer: values for the inputs of any operation, by name. */
export type DemoArguments = (tool: Pick<Tool, "name" | "input">) => Record<string, unknown>;

/** The plan that all arguments refer to, and a wallet that is funded in its token without being subscribed. */
const PLAN = "reader";
const JOINER = 0;

/**
 * Makes inputs that the demo chain can answer. The roles follow from the operation's name, everything else from the names of
 * its inputs, so an operation that comes later has its inputs, too; one with an input of a new name keeps its example.
 *
 * @param record the plan as `get_subscription` shows it
 */
export function demoArguments(devnet: Devnet, record: Record<string, unknown>, transaction: Hex): DemoArguments {
  const plan = demoPlans.find(({ key }) => key === PLAN);
  const id = devnet.subscriptions[PLAN];
  if (plan === undefined || id === undefined || cancelledPlan === plan.key)
    throw new Error(`the demo has no open ${PLAN}`);
  const provider = testAccount(ACCOUNT_INDEX.firstProvider + plan.provider).address;
  const member = subscriber(plan.subscribers[0]);
  const known: Record<string, unknown> = {
    // The object forms take a record as it was read.
    ...{ id, subscription: record },
    ...{ token: record.token, provider, subscriber: member, txHash: transaction },
  };
  return ({ name, input }) => {
    const roles = { from: signerOf(name), address: name.includes("provider") ? provider : member };
    const wanted = Object.keys(input.properties).filter((key) => key in known || key in roles);
    const optional = new Set(["simulateFromAddress", "provider"]);
    // A filter names a subscription by its id, and reduces a list that is short already.
    if (input.properties.subscription?.type === "string") optional.add("subscription");
    return Object.fromEntries(
      wanted.filter((key) => !optional.has(key)).map((key) => [key, Reflect.get({ ...known, ...roles }, key)]),
    );
  };

  function signerOf(name: string): Address {
    if (/by_provider|cancel|create|edit/.test(name)) return provider;
    if (/unsubscribe|approve/.test(name)) return member;
    return name.includes("subscribe") ? subscriber(JOINER) : devnet.keeper.address;
  }
}

export function planId(devnet: Devnet): Hex {
  const id = devnet.subscriptions[PLAN];
  if (id === undefined) throw new Error(`the demo has no ${PLAN}`);
  return id;
}

function subscriber(index: number): Address {
  return testAccount(ACCOUNT_INDEX.firstSubscriber + index).address;
}
