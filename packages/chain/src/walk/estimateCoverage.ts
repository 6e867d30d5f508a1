import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { dueKey, type RemitState, type RemitSubscription } from "@dueday/core/remit/state";
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

/** A plan, and those of its subscribers that are asked about. */
export type KnownPlan = { record: SubscriptionRecord; subscribers: readonly Address[] };

/**
 * The coverage of `plans` as if the contract held nothing else: for a node that can't read the contract's whole state, or not in time. All of it is
 * marked as estimated. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function estimateCoverage(
  client: ChainClient,
  { contract, plans, block }: { contract: Address; plans: readonly KnownPlan[]; block: ChainBlock },
): Promise<CoverageWalk> {
  const subscriptions = new Map(plans.map((plan) => [plan.record.id, toSubscription(plan)]));
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
    dueLists.set(key, [...(dueLists.get(key) ?? []), id]);
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
    .map(({ record }) => ({ record, subscribers: [account] }));
}

/** The records with the decimals of their tokens. */
export function withDecimals(records: readonly SubscriptionRecord[], tokens: TokenInfos) {
  return records.map((record) => ({ record, decimals: expectToken(tokens, record.token).decimals }));
}

/** A fee balance above the caller's fee: each payment then takes the whole amount. */
function toSubscription({ record, subscribers }: KnownPlan): RemitSubscription {
  return {
    ...record,
    subscribers: subscribers.map((subscriber) => ({ subscriber, feeBalance: 1n })),
    unsubscribed: [],
  };
}
