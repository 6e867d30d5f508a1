import { expect } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import type { TestApi } from "@dueday/api/test/startTestApi";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { subLogCode, subLogEvents, subLogName } from "@dueday/core/events/subLogEvents";
import type { RecordedLog } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";

const CONTRACT_NAMES: readonly string[] = subLogEvents.map(({ contractName }) => contractName);

type Row = Record<string, unknown>;
type Recorded = { log: RecordedLog; at: number };

/** All entries of a list, page by page, all pages on the state of the first. */
async function readAll(api: TestApi, path: string, list: string, first: number): Promise<{ rows: Row[]; body: Row }> {
  const rows: Row[] = [];
  let atBlock = "";
  for (let skip: unknown = 0; ; ) {
    const { status, body } = await callApi(api, `${path}first=${first}&skip=${skip}${atBlock}`);
    expect([path, status, body.error]).toEqual([path, 200, undefined]);
    rows.push(...(body[list] as Row[])); // a list, by the schema that the API checks its answers against
    atBlock = `&atBlock=${Object(body.asOf).blockNumber}`;
    if (body.hasMore !== true) {
      expect(body.count).toBe(rows.length);
      return { rows, body };
    }
    skip = body.nextSkip;
  }
}

function recordedLogs({ scenario }: ReplayContext): Recorded[] {
  return scenario.steps.flatMap((step) => ("logs" in step ? step.logs.map((log) => ({ log, at: step.at })) : []));
}

/** A recorded SubLog as the service shows it, in token units. `created` has the amounts of all subscriptions: that of a failure is one of these. */
function expectedEvent(
  { names, scenario }: ReplayContext,
  { log, at }: Recorded,
  created: ReadonlyMap<string, string>,
) {
  const [token, code] = [String(log.token), CONTRACT_NAMES.indexOf(String(log.subScriptEvent))];
  const decimals = scenario.tokens[token]?.decimals ?? -1;
  const amount = log.subScriptEvent === "FAILED" ? created.get(String(log.id)) : String(log.amount);
  return {
    id: names.hexOf(String(log.id)),
    eventCode: code,
    eventName: subLogName(code),
    provider: names.addressOf(String(log.provider)),
    subscriber: names.addressOf(String(log.subscriber)),
    token: names.addressOf(token),
    tokenSymbol: token,
    amountRaw: toTokenUnits(BigInt(amount ?? -1), decimals).toString(),
    tokenDecimals: decimals,
    timestamp: at,
    formattedTimestamp: new Date(at * 1_000).toISOString(),
  };
}

type Expected = ReturnType<typeof expectedEvent>;

function toShown(row: Row, fields: object): Row {
  return Object.fromEntries(Object.keys(fields).map((field) => [field, row[field]]));
}

function expectRows(rows: Row[], expected: readonly object[]): void {
  expect(rows.map((row) => toShown(row, expected[0] ?? {}))).toEqual(expected as Row[]);
}

async function compareSubscriptions(api: TestApi, context: ReplayContext, events: Expected[], logs: Recorded[]) {
  for (const id of new Set(events.map((event) => event.id))) {
    const { rows } = await readAll(api, `/subscriptions/${id}/history?`, "events", 50);
    expectRows(rows, events.filter((event) => event.id === id).toReversed());

    const recorded = logs.filter(({ log }) => log.event === "DetailsLog" && context.names.hexOf(String(log.id)) === id);
    const details = recorded.map(({ log, at }) => ({ url: log.url, description: log.description, timestamp: at }));
    const { rows: entries } = await readAll(api, `/subscriptions/${id}/details-history?`, "entries", 2);
    expectRows(entries, details.toReversed());
    const { body } = await callApi(api, `/subscriptions/${id}/details`);
    const { timestamp = 0, ...texts } = details.at(-1) ?? {};
    expect(body.details).toEqual({ ...texts, updatedAt: new Date(timestamp * 1_000).toISOString() });
  }
}

/** The subscriptions and their subscribers, counted from the recorded events alone. */
function recount(context: ReplayContext, events: Expected[]) {
  const created = events.filter(({ eventCode }) => eventCode === 0).toReversed();
  const steps = context.scenario.steps.flatMap((step) =>
    step.op === "createSubscription" && step.as !== undefined ? [step] : [],
  );
  return created.map((event) => {
    const step = steps.find(({ as }) => as !== undefined && context.names.hexOf(as) === event.id);
    const ofId = events.filter(({ id }) => id === event.id);
    const active = new Set<string>();
    for (const { eventCode, subscriber } of ofId) {
      if (eventCode === subLogCode.Subscribed) active.add(subscriber);
      if (eventCode === subLogCode.Unsubscribed) active.delete(subscriber);
    }
    const { id, provider, token, tokenSymbol, amountRaw, tokenDecimals } = event;
    return {
      id,
      provider,
      token,
      tokenSymbol,
      amountRaw,
      tokenDecimals,
      frequency: step?.frequency,
      dueDay: step?.dueDay,
      totalSubscribers: active.size,
      cancelled: ofId.some(({ eventCode }) => eventCode === subLogCode.Cancel),
    };
  });
}

async function compareSearches(api: TestApi, context: ReplayContext, events: Expected[]) {
  const all = recount(context, events);
  for (const cancelled of [false, true]) {
    const ofState = all.filter((each) => each.cancelled === cancelled);
    const filters: [string, typeof all][] = [
      ["", ofState],
      ...[...new Set(all.map(({ provider }) => provider))].map((provider): [string, typeof all] => [
        `provider=${provider}&`,
        ofState.filter((each) => each.provider === provider),
      ]),
      ...[...new Set(all.map(({ token }) => token))].map((token): [string, typeof all] => [
        `token=${token.toLowerCase()}&frequency=1&`,
        ofState.filter((each) => each.token === token && each.frequency === 1),
      ]),
    ];
    for (const [query, expected] of filters) {
      const { rows } = await readAll(api, `/subscriptions?cancelled=${cancelled}&${query}`, "subscriptions", 3);
      expectRows(rows, expected);
    }
  }
}

async function compareActivity(api: TestApi, context: ReplayContext, events: Expected[]) {
  for (const name of context.scenario.accounts) {
    const address = context.names.addressOf(name);
    const [asSubscriber, asProvider] = (["subscriber", "provider"] as const).map(
      (role) => events.filter((event) => event[role] === address).length,
    );
    const own = events.filter((event) => event.provider === address || event.subscriber === address);
    const { rows, body } = await readAll(api, `/accounts/${address}/activity?`, "events", 100);
    expectRows(rows, own.toReversed());
    const byEvent = Array.from({ length: 10 }, (_, code) => [
      subLogName(code),
      own.filter(({ eventCode }) => eventCode === code).length,
    ]);
    expect(body.breakdown).toEqual({ asSubscriber, asProvider, byEvent: Object.fromEntries(byEvent) });
    expect(body.role).toBe(
      asSubscriber && asProvider ? "both" : asSubscriber ? "subscriber" : asProvider ? "provider" : null,
    );
  }
}

/** History is served event by event, and search and activity equal a recount of the recorded events. */
export async function compareHistory(api: TestApi, context: ReplayContext): Promise<void> {
  const logs = recordedLogs(context);
  const subLogs = logs.filter(({ log }) => log.event === "SubLog");
  const creations = subLogs.filter(({ log }) => log.subScriptEvent === "CREATE");
  const created = new Map(creations.map(({ log }) => [String(log.id), String(log.amount)]));
  const events = subLogs.map((each) => expectedEvent(context, each, created));
  await compareSubscriptions(api, context, events, logs);
  await compareSearches(api, context, events);
  await compareActivity(api, context, events);
}
