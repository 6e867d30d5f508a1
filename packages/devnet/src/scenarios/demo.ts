import { erc20Abi } from "@dueday/core/abi/erc20";
import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { dueDayOf, lastDueDay } from "@dueday/core/calendar/frequency";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { type Address, type Hex, parseEther, parseUnits } from "viem";
import type { DevnetClient } from "../client";
import { deployProtocol } from "../deployProtocol";
import { deployToken } from "../deployToken";
import { send } from "../send";
import { ACCOUNT_INDEX } from "../testAccount";
import {
  accountAt,
  approve,
  approveToken,
  burn,
  cancelSubscription,
  createSubscription,
  fund,
  pauseToken,
  remitThrough,
  subscribe,
  type Target,
  warpTo,
} from "./actions";
import { cancelledPlan, type DemoPlan, demoPlans, demoProviders, demoTokens, failingPayers } from "./demoPlans";
import type { DevnetScenario } from "./devnetScenario";

const SUBSCRIBERS = 60;
/** The days up to this many days ago are settled; everything due since then, including today, is the backlog. */
const SERVED_DAYS_AGO = 7;

type Tokens = Record<keyof typeof demoTokens, Address>;

/**
 * A small economy with a backlog of seven days: tokens of 18, 6 and 8 decimals and a paused one, four providers, sixteen
 * subscriptions in all frequencies, sixty subscribers, a day that takes several calls of remit(), subscribers whose
 * allowance or balance is too low, a cancelled subscription. The result depends only on the day of `now`.
 */
export const demo: DevnetScenario = {
  daysBefore: 13,
  accounts: ACCOUNT_INDEX.firstSubscriber + SUBSCRIBERS,
  async seed(client, now) {
    const people = await pickAccounts(client);
    const today = dayNumber(now);
    const morning = (daysAgo: number) => (today - daysAgo) * DAY_SECONDS + 8 * 3600;

    await client.setNextBlockTimestamp({ timestamp: BigInt(morning(12)) });
    const contract = await deployProtocol(client, {
      callerFee: 10200n,
      systemFee: 11000n,
      maxRemits: 10n,
      cancelLimit: 5n,
      allowSystemFee: true,
      admin: people.admin,
      janitor: people.janitor,
    });
    const target = { client, contract, admin: people.admin };
    const tokens = await deployTokens(target);
    await introduceProviders(target, people.providers);
    const subscriptions = await createPlans(target, people.providers, tokens, today);

    await warpTo(target, morning(11));
    await joinPlans(target, people.subscribers, tokens, subscriptions);

    await warpTo(target, morning(SERVED_DAYS_AGO));
    await remitThrough(target, people.keeper, today - SERVED_DAYS_AGO);

    await warpTo(target, morning(SERVED_DAYS_AGO - 1));
    await addFailures(target, people, tokens, subscriptions);
    return { contract, tokens: Object.values(tokens), subscriptions };
  },
};

async function pickAccounts(client: DevnetClient) {
  const accounts = await client.request({ method: "eth_accounts" });
  const at = (index: number) => accountAt(accounts, index);
  return {
    admin: at(ACCOUNT_INDEX.admin),
    janitor: at(ACCOUNT_INDEX.janitor),
    keeper: at(ACCOUNT_INDEX.historyKeeper),
    providers: demoProviders.map((_, index) => at(ACCOUNT_INDEX.firstProvider + index)),
    subscribers: Array.from({ length: SUBSCRIBERS }, (_, index) => at(ACCOUNT_INDEX.firstSubscriber + index)),
  };
}

async function deployTokens(target: Target): Promise<Tokens> {
  const deployOne = async (symbol: keyof typeof demoTokens) => {
    const { decimals } = demoTokens[symbol];
    const token = await deployToken(target.client, target.admin, demoTokens[symbol]);
    await approveToken(target, token, decimals, parseEther("0.01"));
    return token;
  };
  return {
    HUSD: await deployOne("HUSD"),
    MRD: await deployOne("MRD"),
    OAK: await deployOne("OAK"),
    LGC: await deployOne("LGC"),
  };
}

async function introduceProviders({ client, contract }: Target, providers: Address[]): Promise<void> {
  for (const [index, { company, description, domain }] of demoProviders.entries()) {
    const contact = { url: `https://${domain}`, domain, email: `billing@${domain}`, misc: "" };
    const data = encodeEditProvDetails({ company, description, ...contact });
    await send(client, { from: accountAt(providers, index), to: contract, data });
  }
}

async function createPlans(target: Target, providers: Address[], tokens: Tokens, today: number) {
  const ids: Record<string, Hex> = {};
  for (const plan of demoPlans) {
    ids[plan.key] = await createSubscription(target, accountAt(providers, plan.provider), {
      amount: parseEther(plan.amount),
      token: tokens[plan.token],
      details: { url: demoProviders[plan.provider]?.plans ?? "", description: plan.description },
      frequency: plan.frequency,
      dueDay: dueDayNear(plan, today),
    });
  }
  return ids;
}

async function joinPlans(target: Target, subscribers: Address[], tokens: Tokens, ids: Record<string, Hex>) {
  for (const { key, token, amount, subscribers: joining } of demoPlans) {
    // Enough for 100 charges of this plan. Of several plans in one token, the one joined last sets the amount.
    const units = parseUnits(amount, demoTokens[token].decimals) * 100n;
    const [first, count] = joining;
    for (let index = first; index < first + count; index++) {
      const subscriber = accountAt(subscribers, index);
      await fund(target, tokens[token], subscriber, units, units);
      await subscribe(target, subscriber, idOf(ids, key));
    }
  }
}

async function addFailures(
  target: Target,
  { providers, subscribers }: { providers: Address[]; subscribers: Address[] },
  tokens: Tokens,
  ids: Record<string, Hex>,
): Promise<void> {
  for (const { subscriber, token } of failingPayers.allowance) {
    await approve(target, tokens[token], accountAt(subscribers, subscriber), 1n);
  }
  for (const { subscriber, token } of failingPayers.balance) {
    const owner = accountAt(subscribers, subscriber);
    const args = [owner] as const;
    const balance = await target.client.readContract({
      address: tokens[token],
      abi: erc20Abi,
      functionName: "balanceOf",
      args,
    });
    await burn(target, tokens[token], owner, balance);
  }
  const cancelled = demoPlans.find((plan) => plan.key === cancelledPlan);
  if (cancelled) await cancelSubscription(target, accountAt(providers, cancelled.provider), idOf(ids, cancelledPlan));
  for (const [symbol, token] of Object.entries(demoTokens)) {
    // Object.entries loses the type of the keys, which are the keys of Tokens.
    if (token.paused) await pauseToken(target, tokens[symbol as keyof Tokens]);
  }
}

/**
 * The due day of a plan, in the numbering of its frequency. If the wanted day can't be a due day (such as the 31st),
 * one of the three days before it is used. A day that is settled already is replaced by the one seven days later.
 */
function dueDayNear({ frequency, dueDaysAgo }: DemoPlan, today: number): number {
  const candidates = [dueDaysAgo, dueDaysAgo + 1, dueDaysAgo + 2, dueDaysAgo + 3].map((daysAgo) =>
    daysAgo >= SERVED_DAYS_AGO ? daysAgo - SERVED_DAYS_AGO : daysAgo,
  );
  for (const daysAgo of candidates) {
    const dueDay = dueDayOf(calendarDay(today - daysAgo), frequency);
    if (dueDay <= lastDueDay(frequency)) return dueDay;
  }
  throw new Error(`no day near ${dueDaysAgo} days ago can be a due day of frequency ${frequency}`);
}

function idOf(ids: Record<string, Hex>, key: string): Hex {
  const id = ids[key];
  if (!id) throw new Error(`the demo has no plan ${key}`);
  return id;
}
