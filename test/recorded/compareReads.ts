import { expect } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import type { TestApi } from "@dueday/api/test/startTestApi";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { AccountRow, FinalSubscription } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { getAddress, type Hex } from "viem";

type SubscriberRow = { subscriber: Hex; feeBalanceRaw: string; status: number };
type Row = { subscription: { id: Hex }; status: number; totalSubscribers: number };

const LABELS = ["ACTIVE", "CANCELLED", "UNSUBSCRIBED"];

async function readList<T>(api: TestApi, path: string, list: string): Promise<{ rows: T[]; source: string }> {
  const { status, body } = await callApi(api, `${path}first=200`);
  expect([path, status, body.hasMore]).toEqual([path, 200, false]);
  const rows = Object(body[list]);
  expect(body.count).toBe(rows.length);
  return { rows, source: Object(body.asOf).source };
}

/** Fee balances are recorded with 18 decimals; answers are in the token's own. */
async function compareSubscription(api: TestApi, context: ReplayContext, name: string, recorded: FinalSubscription) {
  const id = context.names.hexOf(name);
  const decimals = context.scenario.tokens[recorded.token]?.decimals ?? 0;
  const { body } = await callApi(api, `/subscriptions/${id}`);
  expect(body.subscription).toMatchObject({
    id,
    provider: context.names.addressOf(recorded.provider),
    token: context.names.addressOf(recorded.token),
    tokenSymbol: recorded.token,
    amountRaw: toTokenUnits(BigInt(recorded.amount), decimals).toString(),
    tokenDecimals: decimals,
    frequency: recorded.frequency,
    dueDay: recorded.dueDay,
    cancelled: recorded.cancelled,
  });

  const path = `/subscriptions/${id}/subscribers?`;
  const { rows, source } = await readList<SubscriberRow>(api, path, "subscribers");
  for (const row of rows) {
    const single = await callApi(api, `/subscriptions/${id}/fee-balance?address=${row.subscriber.toLowerCase()}`);
    expect(single.body).toMatchObject({ id, address: row.subscriber, feeBalanceRaw: row.feeBalanceRaw });
  }
  if ("revert" in recorded.subscribers) {
    expect(source).toBe("snapshot");
    expect(rows.map(({ subscriber }) => subscriber)).toEqual(await activeByRows(context, id));
    return;
  }
  expect(rows.map(({ subscriber, feeBalanceRaw }) => [subscriber, feeBalanceRaw])).toEqual(
    recorded.subscribers.map(({ subscriber, feeBalance }) => [
      context.names.addressOf(subscriber),
      toTokenUnits(BigInt(feeBalance), decimals).toString(),
    ]),
  );
}

/** The subscribers that are active by the recorded account rows, lowest address first: where the contract's own list reverts. */
async function activeByRows({ scenario, names }: ReplayContext, id: Hex): Promise<Hex[]> {
  const isActive = ({ sub, status }: AccountRow) => names.hexOf(sub) === id && status === 0;
  const active = Object.entries(scenario.final.accounts).filter(([, { subscribedTo }]) => subscribedTo.some(isActive));
  const addresses = active.map(([name]) => names.addressOf(name));
  return addresses.sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
}

async function compareAccount(api: TestApi, { scenario, names }: ReplayContext, name: string) {
  const recorded = scenario.final.accounts[name];
  const account = getAddress(names.addressOf(name));
  const facts = ({ subscription, status, totalSubscribers }: Row) => [subscription.id, status, totalSubscribers];
  const expected = (rows: AccountRow[] = []) =>
    rows.map((row) => [names.hexOf(row.sub), row.status, row.totalSubscribers]);
  const lists = { subscribedTo: recorded?.subscribedTo, created: recorded?.created };

  const { body } = await callApi(api, `/accounts/${account.toLowerCase()}?first=200`);
  expect(body).toMatchObject({ account, hasMore: false });
  for (const [list, rows] of Object.entries(lists)) {
    expect(Object(body[list]).map(facts)).toEqual(expected(rows));
    const bySubscriber = list === "subscribedTo";
    const path = `/accounts/${account}/subscriptions?bySubscriber=${bySubscriber}&`;
    const { rows: shown } = await readList<Row & { statusLabel: string }>(api, path, "subscriptions");
    expect(shown.map(facts)).toEqual(expected(rows));
    for (const { status, statusLabel } of shown) expect(statusLabel).toBe(LABELS[status] ?? "");
  }
}

/** The API's live reads equal the record: subscriptions, subscribers, fee balances, rows of accounts. */
export async function compareReads(api: TestApi, context: ReplayContext): Promise<void> {
  await waitUntil("the chain is seen", async () => (await callApi(api, "/protocol/state")).status === 200);
  for (const [name, recorded] of Object.entries(context.scenario.final.subscriptions)) {
    await compareSubscription(api, context, name, recorded);
  }
  for (const name of context.scenario.accounts) await compareAccount(api, context, name);
}
