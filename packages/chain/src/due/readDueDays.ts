import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { FORECAST_DAYS, firstBlockedDay } from "@dueday/core/remit/forecastFromPlan";
import type { PaymentFilter } from "@dueday/core/remit/paymentFilter";
import type { Plan } from "@dueday/core/remit/plan";
import type { SettledDay } from "@dueday/core/remit/settledDay";
import type { RemitSubscription } from "@dueday/core/remit/state";
import type { DueDay } from "@dueday/core/snapshots/dueDay";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { cannotBeRead, expectValue, protocolRead } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";
import { readPausedTokens } from "../reads/readPausedTokens";
import { readTokenInfos } from "../reads/readTokenInfos";
import type { PlanAlarm } from "../remit/planBacklog";
import { readPlanAhead } from "../remit/readRemitForecast";
import type { RemitStateCache } from "../remit/state/createRemitStateCache";
import { type DueLists, dueListsIn, readDueLists } from "../remit/state/readDueLists";
import { buildDueDay } from "./buildDueDay";
import type { DueOutlook } from "./dueDayPlan";
import { filterDue } from "./filterDue";
import { type DueFacts, readDueFacts } from "./readDueFacts";

export type ReadDueDaysParameters = {
  contract: Address;
  /** Day numbers, any calendar days. */
  days: readonly number[];
  block: ChainBlock;
  /** Who would call remit(). */
  from: Address;
  stateCache: RemitStateCache;
  onAlarm(alarm: PlanAlarm): void;
  /** See `ReadRemitForecastParameters`. */
  plan?: Plan | null;
  /** Which payments are meant; all where it is null or left out. With accounts, `subscribers` counts only these. */
  filter?: PaymentFilter | null;
  /** false: closed days have sums and empty lists, so that their entries cost no read. Default true. */
  closedLists?: boolean;
  /** What the events up to `block` record of these payments on days that are closed in whole or in part; null (the default) where the events are not known. */
  readSettled?(days: readonly number[], nextUncheckedDay: number): Promise<readonly SettledDay[] | null>;
};

/** One day: that of `block` where `day` is null. See `readDueDays`. */
export async function readDueDay(
  client: ChainClient,
  { day, ...parameters }: Omit<ReadDueDaysParameters, "days"> & { day: number | null },
): Promise<DueDay> {
  const days = [day ?? dayNumber(parameters.block.timestamp)];
  const [found] = await readDueDays(client, { ...parameters, days });
  if (found === undefined) throw new Error(`no due lists were read for day ${days[0]}`);
  return found;
}

/**
 * What is due on each of `days` at `block`, in their order, and what of it remit() has charged, will charge or passes over: lists in
 * the contract's order, DUE_LIST_LIMIT entries of each, totals over all. What will be charged is taken from the plan, so that plan,
 * forecast and due lists agree. Beyond FORECAST_DAYS every active subscriber counts as paying. Throws ServiceError UPSTREAM_* where the node
 * does not answer, or a list is too long to be read.
 */
export async function readDueDays(client: ChainClient, parameters: ReadDueDaysParameters): Promise<DueDay[]> {
  const dayOf = await openDueDays(client, parameters);
  const days: DueDay[] = [];
  for (const day of parameters.days) days.push(await dayOf(day));
  return days;
}

/**
 * Reads what `readDueDays` needs and returns the function that builds one of `days`: where a contract has many subscriptions, all days together
 * take more memory than the data that they are built from.
 */
export async function openDueDays(
  client: ChainClient,
  parameters: ReadDueDaysParameters,
): Promise<(day: number) => Promise<DueDay>> {
  const { contract, days, block, filter = null, closedLists = true } = parameters;
  const today = dayNumber(block.timestamp);
  const [nextDay] = await readMany(client, [protocolRead(contract, "nextUncheckedDay", [])], block);
  const nextUncheckedDay = expectValue(nextDay, "nextUncheckedDay");
  const isClosed = (day: number) => day < nextUncheckedDay;
  const [outlook, settled] = await Promise.all([
    days.every(isClosed) ? null : readOutlook(client, parameters, Math.max(...days) - today),
    // The next unchecked day may be settled in part.
    readSettled(
      parameters,
      days.filter((day) => day <= nextUncheckedDay && day <= today),
      nextUncheckedDay,
    ),
  ]);
  const listed = closedLists ? days : days.filter((day) => !isClosed(day));
  const { listsOf, facts } = await readListed(client, { ...parameters, days: listed }, { nextUncheckedDay, outlook });
  const named = [...(settled?.values() ?? [])].flatMap(({ charges, uncharged }) => [...charges, ...uncharged]);
  const ofEvents = await readTokenInfos(client, { contract, tokens: named.map(({ token }) => token), block });
  const tokens = new Map([...ofEvents, ...facts.tokens]);
  const pausedTokens = closedLists
    ? facts.pausedTokens
    : new Set(await readPausedTokens(client, { contract, tokens: [...tokens.keys()], block }));
  const all = { facts: { ...facts, pausedTokens, tokens, today, nextUncheckedDay, outlook, settled }, listsOf };
  const wanted = filter === null ? all : await filterDue(client, { contract, block, filter }, all);
  return (day) => buildDueDay(day, wanted.listsOf(day), wanted.facts);
}

/** Lists and facts of the days: from the outlook's state where it has them, else from views. */
async function readListed(
  client: ChainClient,
  { contract, days, block }: ReadDueDaysParameters,
  { nextUncheckedDay, outlook }: { nextUncheckedDay: number; outlook: DueOutlook | null },
): Promise<{ listsOf: DueLists; facts: DueFacts }> {
  const isPlanned = (day: number) => outlook !== null && day >= nextUncheckedDay && day <= outlook.lastDay;
  const others = days.filter((day) => !isPlanned(day));
  const listsOfOthers = await readDueLists(client, { contract, days: others, block });
  const ids = new Set(others.flatMap((day) => listsOfOthers(day).flatMap((list) => list.ids)));
  const ofOthers = await readDueFacts(client, { contract, ids: [...ids], block });
  if (outlook === null) return { listsOf: listsOfOthers, facts: ofOthers };
  const { state } = outlook;
  const listsOfState = dueListsIn(state);
  const subscriptionOf = rememberLast((id) => state.subscriptions.get(id));
  const infos = await readTokenInfos(client, { contract, tokens: [...state.tokens.keys()], block });
  return {
    listsOf: (day) => (isPlanned(day) ? listsOfState(day) : listsOfOthers(day)),
    facts: {
      records: { get: (id) => subscriptionOf(id) ?? ofOthers.records.get(id) },
      activeCounts: {
        get(id) {
          const subscription = subscriptionOf(id);
          return subscription === undefined ? ofOthers.activeCounts.get(id) : activeCount(subscription);
        },
      },
      pausedTokens: { has: (token) => state.tokens.get(token)?.paused ?? ofOthers.pausedTokens.has(token) },
      tokens: new Map([...ofOthers.tokens, ...infos]),
    },
  };
}

async function readSettled(
  { readSettled }: ReadDueDaysParameters,
  days: readonly number[],
  nextUncheckedDay: number,
): Promise<ReadonlyMap<number, SettledDay> | null> {
  if (days.length === 0) return new Map();
  const settled = await readSettled?.(days, nextUncheckedDay);
  return settled ? new Map(settled.map((day) => [day.dayNumber, day])) : null;
}

/** Null where the node can't give the state that decides the outlook: then every active subscriber counts as paying. */
async function readOutlook(
  client: ChainClient,
  parameters: ReadDueDaysParameters,
  daysAhead: number,
): Promise<DueOutlook | null> {
  const ahead = Math.min(FORECAST_DAYS, Math.max(0, daysAhead));
  try {
    const { plan, payments, state } = await readPlanAhead(client, { ...parameters, daysAhead: ahead });
    return {
      lastDay: state.today + ahead,
      payments: payments && Map.groupBy(payments, ({ dayNumber }) => dayNumber),
      blockedFrom: firstBlockedDay(state, plan),
      isPaged: state.checkpoint !== null,
      state,
    };
  } catch (error) {
    if (cannotBeRead(error)) return null;
    throw error;
  }
}

/** `find` with a memory of one id: building a day asks for the record and then the count of the same id, for a million ids. */
function rememberLast<T>(find: (id: Hex) => T | undefined): (id: Hex) => T | undefined {
  let last: Hex | null = null;
  let found: T | undefined;
  return (id) => {
    if (id !== last) found = find(id);
    last = id;
    return found;
  };
}

function activeCount({ subscribers, unsubscribed }: RemitSubscription): number {
  if (unsubscribed.length === 0) return subscribers.length;
  const left = new Set(unsubscribed);
  return subscribers.filter(({ subscriber }) => !left.has(subscriber)).length;
}
