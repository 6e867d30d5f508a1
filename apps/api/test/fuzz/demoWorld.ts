import type { Subscription } from "@dueday/core/schema";
import { cancelledPlan, type DemoPlan, demoPlans, demoTokens, failingPayers } from "@dueday/devnet/scenarios/demoPlans";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import type { Address, Hex } from "viem";

/** Known values of the demo chain, from which valid requests are built. */
export type DemoWorld = {
  plans: { id: Hex; plan: DemoPlan; provider: Address; members: Address[]; open: boolean; shown: Subscription }[];
  /** Who can subscribe to which plan: an account funded in the token of the plan, and not a member of the plan. */
  joins: { from: Address; id: Hex }[];
  /** Who can change from one plan to another. */
  changes: { from: Address; leave: Hex; join: Hex }[];
  tokens: { address: Address; decimals: number; open: boolean }[];
  accounts: Address[];
  transactions: Hex[];
  keyIds: string[];
  /** Of the subject whose key the test sends, each with one of its deliveries. */
  webhooks: { id: string; deliveryId: string }[];
  /** Further ones, each for one use: to be deleted, challenged or replayed. */
  webhooksToUse: string[];
  /** A signed permit of a payer, and kept ones: one to submit, and others for one withdrawal each. */
  permit: { from: Address; token: Address; value: string; deadline: string; signature: Hex };
  keptPermit: string;
  permitsToWithdraw: string[];
  /** Day number of the chain's head. */
  today: number;
};

type Gathered = Pick<
  DemoWorld,
  "transactions" | "keyIds" | "webhooks" | "webhooksToUse" | "permit" | "keptPermit" | "permitsToWithdraw" | "today"
> & {
  devnet: Devnet;
  /** A subscription as the API shows it. */
  show: (id: Hex) => Promise<Subscription>;
};

export async function gatherDemoWorld({ devnet, show, ...known }: Gathered): Promise<DemoWorld> {
  const plans = await Promise.all(
    demoPlans.map(async (plan) => {
      const id = devnet.subscriptions[plan.key];
      if (id === undefined) throw new Error(`the demo has no ${plan.key}`);
      const [first, count] = plan.subscribers;
      const open = plan.key !== cancelledPlan && !demoTokens[plan.token].paused;
      const members = range(first, count).map(subscriberAt);
      const provider = testAccount(ACCOUNT_INDEX.firstProvider + plan.provider).address;
      return { id, plan, provider, members, open, shown: await show(id) };
    }),
  );
  const failing: number[] = [...failingPayers.allowance, ...failingPayers.balance].map(({ subscriber }) => subscriber);
  const joins = plans.flatMap(({ id, plan, open, members }) => {
    const funded = demoPlans.filter(({ token }) => token === plan.token).flatMap((each) => range(...each.subscribers));
    const able = new Set(funded.filter((index) => !failing.includes(index)).map(subscriberAt));
    return open ? [...able].filter((from) => !members.includes(from)).map((from) => ({ from, id })) : [];
  });
  const symbols = Object.values(demoTokens);
  return {
    ...known,
    plans,
    joins,
    changes: joins.flatMap(({ from, id: join }) =>
      plans
        .filter(({ open, members }) => open && members.includes(from))
        .map(({ id: leave }) => ({ from, leave, join })),
    ),
    tokens: devnet.tokens.flatMap((address, index) => {
      const token = symbols[index];
      return token === undefined ? [] : [{ address, decimals: token.decimals, open: !token.paused }];
    }),
    accounts: [...new Set(plans.flatMap(({ provider, members }) => [provider, ...members]))],
  };
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, offset) => first + offset);
}

const addresses = new Map<number, Address>();

/** Deriving an address from the mnemonic takes a while. */
function subscriberAt(index: number): Address {
  const known = addresses.get(index) ?? testAccount(ACCOUNT_INDEX.firstSubscriber + index).address;
  addresses.set(index, known);
  return known;
}
