import { expect } from "bun:test";
import { comparable } from "@dueday/api/test/comparable";
import type { TestApi } from "@dueday/api/test/startTestApi";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { devnetChain } from "@dueday/devnet/devnetChain";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { createDueday, DuedayError } from "@dueday/sdk";
import { createLocalDueday, type LocalDueday } from "@dueday/sdk/local";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Address, createPublicClient, type Hex, http } from "viem";

type Call = { name: string; ask: (client: LocalDueday) => Promise<object> };

/**
 * The SDK's local mode, on the chain's node alone, gives the API's answers, gas and calldata included: records, accounts, due lists,
 * readiness, plan, forecast and prepares, refusals included.
 *
 * @returns how many answers were compared
 */
export async function compareLocal(api: TestApi, context: ReplayContext): Promise<number> {
  const { client, contract, url, scenario, names } = context;
  const remote = createDueday({ baseUrl: api.url });
  await waitUntil("the chain is seen", () => remote.getProtocolState().then(Boolean, () => false));
  const node = createPublicClient({ chain: devnetChain, transport: http(url, { batch: true }) });
  const local = createLocalDueday({ client: node, contract });
  const { number, timestamp } = await client.getBlock();
  const accounts = scenario.accounts.map((name) => names.addressOf(name));
  const { nextUncheckedDay } = await local.getProtocolState();
  const today = dayNumber(timestamp);
  // Only an event index knows what a closed day has charged.
  const days = [today, today + 1].filter((day) => day > nextUncheckedDay);
  const created = await Promise.all(accounts.map((address) => local.getAccount({ address, first: 200 })));
  const records = created.flatMap((account) => account.created.map(({ subscription }) => subscription));
  const calls = [
    ...callsOnChain(context, days),
    ...accounts.flatMap(callsOnAccount),
    ...records.flatMap(({ id, provider }, index) =>
      callsOnSubscription(id, provider, accounts[index % accounts.length]),
    ),
  ];
  let compared = 0;
  for (const { name, ask } of calls) {
    const [here, there] = await Promise.all([answerOf(ask(local)), answerOf(ask(remote))]);
    // A list that the contract itself can't return comes from the event index.
    if (name.startsWith("subscribers") && here.code === "UPSTREAM_ERROR") continue;
    expect({ block: number, name, ...here }).toEqual({ block: number, name, ...there });
    compared++;
  }
  return compared;
}

function callsOnChain({ keeper: from, tokens }: ReplayContext, days: readonly number[]): Call[] {
  return [
    { name: "protocol", ask: (dueday) => dueday.getProtocolState() },
    { name: "readiness", ask: (dueday) => dueday.getRemitReadiness({ from }) },
    { name: "plan", ask: (dueday) => dueday.getRemitPlan({ from, first: 200 }) },
    { name: "forecast", ask: (dueday) => dueday.getRemitForecast() },
    { name: "prepare remit", ask: (dueday) => dueday.prepareRemit({ from }) },
    ...days.map(
      (dayNumber): Call => ({ name: `due ${dayNumber}`, ask: (dueday) => dueday.getSubscriptionsDue({ dayNumber }) }),
    ),
    ...tokens.map((token): Call => ({ name: `token ${token}`, ask: (dueday) => dueday.getApprovedToken({ token }) })),
  ];
}

function callsOnAccount(address: Address): Call[] {
  return [
    { name: `account ${address}`, ask: (dueday) => dueday.getAccount({ address }) },
    { name: `rows of ${address}`, ask: (dueday) => dueday.getAccountSubscriptions({ address, bySubscriber: true }) },
  ];
}

function callsOnSubscription(id: Hex, provider: Address, subscriber = provider): Call[] {
  const details = { url: "https://example.com", description: "changed" };
  return [
    { name: `record ${id}`, ask: (dueday) => dueday.getSubscription({ id }) },
    { name: `subscribers ${id}`, ask: (dueday) => dueday.getSubscribers({ id }) },
    { name: `balance ${id}`, ask: (dueday) => dueday.getFeeBalance({ id, address: subscriber }) },
    { name: `subscribable ${id}`, ask: (dueday) => dueday.checkSubscribeReadinessById({ from: subscriber, id }) },
    { name: `subscribe ${id}`, ask: (dueday) => dueday.prepareSubscribeById({ from: subscriber, id }) },
    { name: `unsubscribe ${id}`, ask: (dueday) => dueday.prepareUnsubscribeById({ from: subscriber, id }) },
    {
      name: `remove ${id}`,
      ask: (dueday) => dueday.prepareUnsubscribeByProviderById({ from: provider, id, subscriber }),
    },
    { name: `cancel ${id}`, ask: (dueday) => dueday.prepareCancelSubscriptionById({ from: provider, id }) },
    { name: `edit ${id}`, ask: (dueday) => dueday.prepareEditDetails({ from: provider, id, details }) },
  ];
}

/** An answer without what belongs to the one request, or the error instead. */
async function answerOf(answer: Promise<object>): Promise<Record<string, unknown>> {
  try {
    return comparable({ ...(await answer) });
  } catch (error) {
    if (!DuedayError.is(error)) throw error;
    const { code, message, issues, revert } = error;
    return { code, message, issues, revert };
  }
}
