import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { dueKey, type RemitState, type RemitSubscriber, type RemitSubscription } from "@dueday/core/remit/state";
import { ACTIVE_STATUS } from "@dueday/core/subscriptionStatus";
import { type CoverageWalk, walkCoverage } from "@dueday/core/walk/walkCoverage";
import { type Address, type Hex, zeroAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectOpenDays } from "../reads/expectOpenDays";
import { expectToken } from "../reads/expectToken";
import { expectValue, protocolRead } from "../reads/protocolRead";
import type { AccountRow } from "../reads/readAccountRows";
import { readMany } from "../reads/readMany";
import type { SubscriptionRecord } from "../reads/readSubscriptions";
import type { TokenInfos } from "../reads/readTokenInfos";
import { readTokenStates } from "../remit/state/readTokenStates";

/** A plan that `subscriber` pays. */
export type KnownPlan = { record: SubscriptionRecord; subscriber: Address };

/**
 * The coverage of `plans` as if the contract held nothing else: for a node that can't read the contract's whole state, or not in time. All of it is
 * marked as estimated. What an account receives from `plans` counts. The plans of a day are charged by frequency, then by ascending id, until one of
 * them has ended: its removal changes the order of its due list, as it does in the contract. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function estimateCoverage(
  client: ChainClient,
  { contract, plans, block }: { contract: Address; plans: readonly KnownPlan[]; block: ChainBlock },
): Promise<CoverageWalk> {
  const subscriptions = toSubscriptions(plans);
  const [[nextDay], tokens] = await Promise.all([
    readMany(client, [protocolRead(contract, "nextUncheckedDay", [])], block),
    readTokenStates(client, { contract, block, subscriptions: subscriptions.values(), receivers: [] }),
  ]);
  const today = dayNumber(block.timestamp);
  const nextUncheckedDay = expectValue(nextDay, "nextUncheckedDay");
  expectOpenDays(nextUncheckedDay, today);
  const dueLists = new Map<number, Hex[]>();
  for (const { id, frequency, dueDay } of subscriptions.values()) {
    const key = dueKey(frequency, dueDay);
    const list = dueLists.get(key);
    if (list === undefined) dueLists.set(key, [id]);
    else list.push(id);
  }
  const state: RemitState = {
    today,
    nextUncheckedDay,
    maxRemits: Number.MAX_SAFE_INTEGER,
    callerFee: 10_000n,
    systemFee: 10_000n,
    systemFeeActive: false,
    systemFeeReceiver: zeroAddress,
    protocol: contract,
    caller: zeroAddress,
    checkpoint: null,
    dueLists,
    subscriptions,
    tokens,
  };
  return walkCoverage(state, { estimated: true });
}

/** The plans of an account's rows that it still pays. */
export function plansOfRows(account: Address, rows: readonly AccountRow[]): KnownPlan[] {
  return rows
    .filter(({ record, status }) => status === ACTIVE_STATUS && !record.cancelled)
    .map(({ record }) => ({ record, subscriber: account }));
}

/** The records with the decimals of their tokens. */
export function withDecimals(records: readonly SubscriptionRecord[], tokens: TokenInfos) {
  return records.map((record) => ({ record, decimals: expectToken(tokens, record.token).decimals }));
}

/**
 * By descending id, because remit() goes through a due list from its end. Fee balances are above the caller's fee: each payment then takes the
 * whole amount.
 */
function toSubscriptions(plans: readonly KnownPlan[]): Map<Hex, RemitSubscription> {
  const subscriptions = new Map<Hex, RemitSubscription & { subscribers: RemitSubscriber[] }>();
  for (const { record, subscriber } of [...plans].sort(byDescendingId)) {
    const subscription = subscriptions.get(record.id) ?? { ...record, subscribers: [], unsubscribed: [] };
    subscription.subscribers.push({ subscriber, feeBalance: 1n });
    subscriptions.set(record.id, subscription);
  }
  return subscriptions;
}

function byDescendingId({ record: a }: KnownPlan, { record: b }: KnownPlan): number {
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}
