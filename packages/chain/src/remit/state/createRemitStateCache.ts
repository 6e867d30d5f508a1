import { saturate } from "@dueday/core/amounts/saturate";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { dueKey, type RemitState, type RemitSubscription } from "@dueday/core/remit/state";
import { nextTurn, runInSlices } from "@dueday/core/runInSlices";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { explainRefusal } from "../../client/explainRefusal";
import { expectOpenDays } from "../../reads/expectOpenDays";
import { expectValue, protocolRead } from "../../reads/protocolRead";
import { readMany } from "../../reads/readMany";
import { readTable } from "../../reads/readTable";
import type { BulkReads } from "./bulkReads";
import { type Changes, readChangesSince } from "./readChangesSince";
import { type ListKey, listsOfDays, readIdLists } from "./readDueLists";
import { findPrivateSlots, type PrivateSlots, readPrivateState } from "./readPrivateState";
import { readRemitSubscriptions } from "./readRemitSubscriptions";
import { readTokenStates } from "./readTokenStates";
import type { SetSlots } from "./subscriberSets";
import { newPlainStore, plainWithChanges } from "./subscriptionStore";
import { afterChanges, type TokenBooks } from "./tokenBook";
import { unreadableError } from "./unreadableError";

export type ReadStateParameters = {
  block: ChainBlock;
  /** Who would call remit(). */
  caller: Address;
  /** Days after today whose due lists are included; none by default. */
  daysAhead?: number;
};

/** Reads the state that decides remit(), and keeps it for later reads. */
export type RemitStateCache = {
  /**
   * The state after `block`. Due lists, sets and fee balances are read again only where they changed; figures of the protocol and
   * of tokens, balances and allowances always, because admins and tokens change them without a log of the contract. Throws
   * ServiceError UPSTREAM_* where the node fails, or can't read private storage.
   */
  read(client: ChainClient, parameters: ReadStateParameters): Promise<RemitState>;
  /** Drops all that was read or is being read, so that it is read again: for a caller who has found that logs of the contract were missing. */
  forget(): void;
  /** The state that was read last; null where that is not of `block`. */
  stateOf(block: Pick<ChainBlock, "hash">): RemitState | null;
};

/** Due lists and all their ids at one block. */
type CachedLists = {
  block: ChainBlock | null;
  dueLists: ReadonlyMap<number, readonly Hex[]>;
  subscriptions: ReadonlyMap<Hex, RemitSubscription>;
  /** The ids with an unsubscribed list. */
  listed: ReadonlySet<Hex>;
  books: TokenBooks;
};

type KnownSlots = { setSlots: SetSlots | null; privateSlots: PrivateSlots | null };

const NOTHING_READ: CachedLists = {
  block: null,
  dueLists: new Map(),
  subscriptions: new Map(),
  listed: new Set(),
  books: new Map(),
};

/**
 * A cache for one contract, empty at first. Concurrent reads are safe; each starts from the newest finished one.
 *
 * @param bulk for books that are too large for views; null: views read what it would read
 */
export function createRemitStateCache(contract: Address, bulk: BulkReads | null = null): RemitStateCache {
  const knownSlots: KnownSlots = { setSlots: null, privateSlots: null };
  let known = NOTHING_READ;
  let latest: { block: ChainBlock; daysAhead: number; state: RemitState } | null = null;
  /** The read that is under way: a request for the same state waits for it. */
  let pending: { hash: Hex; daysAhead: number; state: Promise<RemitState> } | null = null;
  /** Another object after each `forget`: a read that began before it may lack the same logs, and is not kept. */
  let era = {};

  async function read(client: ChainClient, { block, caller, daysAhead = 0 }: ReadStateParameters): Promise<RemitState> {
    const before = known;
    const ownEra = era;
    const source = { contract, block };
    const [figures, privateState, changes] = await Promise.all([
      readFigures(client, source),
      readPrivate(client, knownSlots, source),
      changesOf(client, before, source),
    ]);
    const today = dayNumber(block.timestamp);
    const needed = listsOfDays(expectOpenDays(figures.nextUncheckedDay, today + daysAhead));
    const start = changes === null ? NOTHING_READ : before;
    const lists = await refreshLists(client, { ...source, bulk, knownSlots, start, changes, needed });
    if (era === ownEra && (known.block?.number ?? -1n) <= block.number) known = lists;
    const dueLists = new Map([...needed.keys()].map((key) => [key, lists.dueLists.get(key) ?? []]));
    const subscriptions = await subscriptionsIn(lists, dueLists, bulk);
    const receivers = privateState.systemFeeActive ? [caller, privateState.systemFeeReceiver] : [caller];
    const parameters = { ...source, dueLists, subscriptions, receivers, daysAhead, books: lists.books };
    const book = await bulk?.readTokenBook(client, parameters);
    if (book !== undefined && known === lists) known = { ...lists, books: new Map(lists.books).set(daysAhead, book) };
    const tokens =
      book?.tokens ?? (await readTokenStates(client, { ...source, subscriptions: subscriptions.values(), receivers }));
    return { today, ...figures, ...privateState, protocol: contract, caller, dueLists, subscriptions, tokens };
  }

  function stateOf({ hash }: Pick<ChainBlock, "hash">): RemitState | null {
    return latest?.block.hash === hash ? latest.state : null;
  }

  /** Answers of one block share its state. A state with the lists of more days serves as well. */
  async function readOnce(client: ChainClient, parameters: ReadStateParameters): Promise<RemitState> {
    const { block, caller, daysAhead = 0 } = parameters;
    if (latest?.block.hash === block.hash && latest.daysAhead >= daysAhead) return { ...latest.state, caller };
    if (pending?.hash === block.hash && pending.daysAhead >= daysAhead) return { ...(await pending.state), caller };
    const own = { hash: block.hash, daysAhead, state: read(client, parameters) };
    const ownEra = era;
    pending = own;
    const state = await own.state.finally(() => {
      if (pending === own) pending = null;
    });
    if (era === ownEra) latest = { block, daysAhead, state };
    return state;
  }

  return {
    forget() {
      era = {};
      known = NOTHING_READ;
      latest = null;
      pending = null;
    },
    stateOf,
    read: (client, parameters) =>
      readOnce(client, parameters).catch((error: unknown) => {
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

async function readPrivate(client: ChainClient, knownSlots: KnownSlots, source: Source) {
  knownSlots.privateSlots ??= await findPrivateSlots(client, source);
  if (knownSlots.privateSlots !== null) {
    try {
      return await readPrivateState(client, knownSlots.privateSlots, source);
    } catch (error) {
      // The contract may have another admin by now: the next read finds admin and slots again.
      knownSlots.privateSlots = null;
      throw error;
    }
  }
  throw unreadableError("The protocol's page checkpoint");
}

/** Null where everything has to be read. */
async function changesOf(client: ChainClient, { block: since, subscriptions, ...known }: CachedLists, source: Source) {
  if (since === null) return null;
  const listed = [...known.listed].flatMap((id) => subscriptions.get(id) ?? []);
  const [changes, lengths] = await Promise.all([
    readChangesSince(client, { ...source, since }),
    // The janitor removes entries from a list without a log.
    readTable(client, listed, ({ id }) => [protocolRead(source.contract, "getUnsubscribedLength", [id])], source.block),
  ]);
  for (const { key, results } of lengths) {
    if (expectValue(results[0], "getUnsubscribedLength") !== BigInt(key.unsubscribed.length)) changes?.ids.add(key.id);
  }
  return changes;
}

type RefreshLists = Source & {
  bulk: BulkReads | null;
  knownSlots: KnownSlots;
  start: CachedLists;
  changes: Changes | null;
  needed: ReadonlyMap<number, ListKey>;
};

/** The lists at `block`: those of `start`, with changed ones read again, and with the needed ones that were missing. */
async function refreshLists(
  client: ChainClient,
  { start, changes, needed, ...source }: RefreshLists,
): Promise<CachedLists> {
  /** Null stands for an id that is gone. */
  const renewed = new Map<Hex, RemitSubscription | null>();
  const current = (id: Hex) => (renewed.has(id) ? (renewed.get(id) ?? undefined) : start.subscriptions.get(id));
  const changed = [...(changes?.ids ?? [])].filter((id) => start.subscriptions.has(id) || changes?.subscribed.has(id));
  // At an earlier block one of them may not exist yet.
  for (const id of changed) renewed.set(id, null);
  for (const [id, each] of await readRemitSubscriptions(client, { ...source, ids: changed })) renewed.set(id, each);

  const stale = new Map([...needed].filter(([key]) => !start.dueLists.has(key)));
  const addStale = (key: number, list: ListKey) => {
    if (start.dueLists.has(key)) stale.set(key, list);
  };
  for (const [key, list] of listsOfDays(changes?.days ?? [])) addStale(key, list);
  for (const id of changes?.subscribed ?? []) {
    const [before, now] = [start.subscriptions.get(id), current(id)];
    const known = now ?? before;
    // An id enters its due list with its first subscriber, so the list has changed only if the id's set is empty in one of the two states.
    if (known === undefined || [before, now].every((each) => (each?.subscribers.length ?? 0) > 0)) continue;
    const { frequency, dueDay } = known;
    addStale(dueKey(frequency, dueDay), { frequency, dueDay });
  }
  const dueLists = new Map(start.dueLists);
  const lists = await readIdLists(client, { ...source, lists: [...stale.values()] });
  const missing: Hex[] = [];
  for (const [index, key] of [...stale.keys()].entries()) {
    const ids = lists[index] ?? [];
    const before = start.dueLists.get(key) ?? [];
    const now = before.length === 0 ? null : new Set(ids);
    // An id is in one list only, so one that has left its list is in none.
    for (const id of before) if (now?.has(id) === false) renewed.set(id, null);
    for (const id of ids) if (current(id) === undefined) missing.push(id);
    dueLists.set(key, ids);
    await nextTurn();
  }
  const found = await readRemitSubscriptions(client, { ...source, ids: missing });
  const { block } = source;
  if (start.subscriptions.size === 0 && renewed.size === 0) {
    return { block, dueLists, subscriptions: found, listed: listedAfter(new Set(), found), books: start.books };
  }
  await runInSlices(found.entries(), ([id, each]) => renewed.set(id, each));
  for (const id of changed) {
    const known = renewed.get(id);
    // The due list of this id is not kept, so its subscription is not needed.
    if (known && !dueLists.has(dueKey(known.frequency, known.dueDay))) renewed.set(id, null);
  }
  const withChanges = source.bulk?.withChanges ?? plainWithChanges;
  const subscriptions = renewed.size === 0 ? start.subscriptions : await withChanges(start.subscriptions, renewed);
  const books = afterChanges(start.books, renewed.keys());
  return { block, dueLists, subscriptions, listed: listedAfter(start.listed, renewed), books };
}

/** The ids with an unsubscribed list, after some subscriptions were read again. */
function listedAfter(before: ReadonlySet<Hex>, renewed: ReadonlyMap<Hex, RemitSubscription | null>): Set<Hex> {
  const listed = new Set(before);
  for (const [id, each] of renewed) each !== null && each.unsubscribed.length > 0 ? listed.add(id) : listed.delete(id);
  return listed;
}

async function stored(subscriptions: Iterator<RemitSubscription, unknown>, bulk: BulkReads | null) {
  const { add, map } = bulk?.newStore() ?? newPlainStore();
  await runInSlices(subscriptions, add);
  return map;
}

/** The subscriptions of `dueLists`: the known map itself where these are all that are known. */
async function subscriptionsIn(
  { subscriptions }: CachedLists,
  dueLists: ReadonlyMap<number, readonly Hex[]>,
  bulk: BulkReads | null,
) {
  let count = 0;
  for (const ids of dueLists.values()) count += ids.length;
  return count === subscriptions.size ? subscriptions : stored(listed(subscriptions, dueLists), bulk);
}

function* listed(subscriptions: ReadonlyMap<Hex, RemitSubscription>, dueLists: ReadonlyMap<number, readonly Hex[]>) {
  for (const ids of dueLists.values()) {
    for (const id of ids) {
      const subscription = subscriptions.get(id);
      if (subscription !== undefined) yield subscription;
    }
  }
}
