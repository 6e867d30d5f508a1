import { saturate } from "@dueday/core/amounts/saturate";
import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { dueDayOf, FREQUENCIES, type Frequency, lastDueDay } from "@dueday/core/calendar/frequency";
import { ServiceError } from "@dueday/core/errors";
import { dueKey, type RemitState, type RemitSubscription } from "@dueday/core/remit/state";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { explainRefusal } from "../../client/explainRefusal";
import { expectValue, protocolRead } from "../../reads/protocolRead";
import { readMany } from "../../reads/readMany";
import { readTable } from "../../reads/readTable";
import { findPrivateSlots, type PrivateSlots, readPrivateState } from "./privateState";
import { type Changes, readChanges } from "./readChanges";
import { readRemitSubscriptions } from "./readRemitSubscriptions";
import { readTokenStates } from "./readTokenStates";
import type { SetSlots } from "./storedSets";

export type ReadStateParameters = {
  block: ChainBlock;
  /** Who would call remit(). */
  caller: Address;
  /** Days after today whose due lists belong to the state, too; none by default. */
  daysAhead?: number;
};

/** Reads what decides remit(), and remembers it: a later read costs what the contract's logs since then have touched. */
export type RemitStateCache = {
  /**
   * The state after `block`. Due lists, sets and fee balances are read again only where they changed; figures of the protocol and
   * of tokens, balances and allowances always, because admins and tokens change them without a log of the contract. Throws
   * ServiceError UPSTREAM_* where the node fails, or can't tell what is private.
   */
  read(client: ChainClient, parameters: ReadStateParameters): Promise<RemitState>;
};

/** Due lists and all their ids at one block. */
type Pages = {
  block: ChainBlock | null;
  dueLists: ReadonlyMap<number, readonly Hex[]>;
  subscriptions: ReadonlyMap<Hex, RemitSubscription>;
};

type List = { frequency: Frequency; dueDay: number };
type Memory = { setSlots: SetSlots | null; privateSlots: PrivateSlots | null };

const NO_PAGES: Pages = { block: null, dueLists: new Map(), subscriptions: new Map() };

/** A stateCache of one contract, empty at first. Concurrent reads are safe; each goes on from the newest that is finished. */
export function createRemitStateCache(contract: Address): RemitStateCache {
  const memory: Memory = { setSlots: null, privateSlots: null };
  let known = NO_PAGES;

  async function read(client: ChainClient, { block, caller, daysAhead = 0 }: ReadStateParameters) {
    const before = known;
    const source = { contract, block };
    const [figures, privateState, changes] = await Promise.all([
      readFigures(client, source),
      readPrivate(client, memory, source),
      changesOf(client, before, source),
    ]);
    const today = dayNumber(block.timestamp);
    const needed = listsOf(figures.nextUncheckedDay, today + daysAhead);
    const start = changes === null ? NO_PAGES : before;
    const pages = await turnPages(client, { ...source, memory, start, changes, needed });
    if ((known.block?.number ?? -1n) <= block.number) known = pages;
    const dueLists = new Map([...needed.keys()].map((key) => [key, pages.dueLists.get(key) ?? []]));
    const subscriptions = new Map<Hex, RemitSubscription>();
    for (const id of [...dueLists.values()].flat()) {
      const subscription = pages.subscriptions.get(id);
      if (subscription !== undefined) subscriptions.set(id, subscription);
    }
    const tokens = await readTokenStates(client, { ...source, subscriptions: subscriptions.values() });
    return { today, ...figures, ...privateState, protocol: contract, caller, dueLists, subscriptions, tokens };
  }

  return {
    read: (client, parameters) =>
      read(client, parameters).catch((error: unknown) => {
        throw explainRefusal(error);
      }),
  };
}

type Source = { contract: Address; block: ChainBlock };

async function readFigures(client: ChainClient, { contract, block }: Source) {
  const [nextUncheckedDay, maxRemits, callerFee, systemFee] = await readMany(
    client,
    [
      protocolRead(contract, "nextUncheckedDay", []),
      protocolRead(contract, "maxRemits", []),
      protocolRead(contract, "callerFee", []),
      protocolRead(contract, "systemFee", []),
    ],
    block,
  );
  return {
    nextUncheckedDay: expectValue(nextUncheckedDay, "nextUncheckedDay"),
    maxRemits: saturate(expectValue(maxRemits, "maxRemits")),
    callerFee: expectValue(callerFee, "callerFee"),
    systemFee: expectValue(systemFee, "systemFee"),
  };
}

async function readPrivate(client: ChainClient, memory: Memory, source: Source) {
  memory.privateSlots ??= await findPrivateSlots(client, source);
  if (memory.privateSlots !== null) return readPrivateState(client, memory.privateSlots, source);
  throw new ServiceError("UPSTREAM_ERROR", "The chain's node can't tell the protocol's page checkpoint.", {
    retryable: false,
  });
}

/** Null where everything has to be read. */
async function changesOf(client: ChainClient, { block: since, subscriptions }: Pages, source: Source) {
  if (since === null) return null;
  const listed = [...subscriptions.values()].filter(({ unsubscribed }) => unsubscribed.length > 0);
  const [changes, lengths] = await Promise.all([
    readChanges(client, { ...source, since }),
    // The janitor takes entries off a list without a log.
    readTable(client, listed, ({ id }) => [protocolRead(source.contract, "getUnsubscribedLength", [id])], source.block),
  ]);
  for (const { key, results } of lengths) {
    if (expectValue(results[0], "getUnsubscribedLength") !== BigInt(key.unsubscribed.length)) changes?.ids.add(key.id);
  }
  return changes;
}

type TurnPages = Source & {
  memory: Memory;
  start: Pages;
  changes: Changes | null;
  needed: ReadonlyMap<number, List>;
};

/** The pages at `block`: those of `start`, and anew what changed, what is needed and missing, and the ids that come with it. */
async function turnPages(client: ChainClient, { start, changes, needed, ...source }: TurnPages): Promise<Pages> {
  const subscriptions = new Map(start.subscriptions);
  const readIds = async (ids: Iterable<Hex>) => {
    for (const [id, subscription] of await readRemitSubscriptions(client, { ...source, ids: [...ids] })) {
      subscriptions.set(id, subscription);
    }
  };
  const changed = [...(changes?.ids ?? [])].filter((id) => subscriptions.has(id) || changes?.subscribed.has(id));
  await readIds(changed);

  const stale = new Map([...needed].filter(([key]) => !start.dueLists.has(key)));
  const addStale = (key: number, list: List) => {
    if (start.dueLists.has(key)) stale.set(key, list);
  };
  for (const day of changes?.days ?? []) for (const [key, list] of listsOf(day, day)) addStale(key, list);
  for (const id of changes?.subscribed ?? []) {
    const subscription = subscriptions.get(id);
    // An id enters its due list with its first subscriber.
    const hadSubscribers = (start.subscriptions.get(id)?.subscribers.length ?? 0) > 0;
    if (subscription === undefined || hadSubscribers) continue;
    const { frequency, dueDay } = subscription;
    addStale(dueKey(frequency, dueDay), { frequency, dueDay });
  }
  const dueLists = new Map(start.dueLists);
  const rows = await readTable(
    client,
    [...stale],
    ([, { frequency, dueDay }]) => [protocolRead(source.contract, "getIdByTime", [BigInt(frequency), dueDay])],
    source.block,
  );
  for (const { key, results } of rows) dueLists.set(key[0], expectValue(results[0], "getIdByTime"));

  const missing = new Set([...dueLists.values()].flat().filter((id) => !subscriptions.has(id)));
  await readIds(missing);
  const listed = new Set([...dueLists.values()].flat());
  for (const id of subscriptions.keys()) if (!listed.has(id)) subscriptions.delete(id);
  return { block: source.block, dueLists, subscriptions };
}

/** The due lists that the days `first` to `last` meet, by their keys. A number that no subscription can have has no list. */
function listsOf(first: number, last: number): Map<number, List> {
  const lists = new Map<number, List>();
  for (let day = first; day <= last; day++) {
    const calendar = calendarDay(day);
    for (const frequency of FREQUENCIES) {
      const dueDay = dueDayOf(calendar, frequency);
      if (dueDay <= lastDueDay(frequency)) lists.set(dueKey(frequency, dueDay), { frequency, dueDay });
    }
  }
  return lists;
}
