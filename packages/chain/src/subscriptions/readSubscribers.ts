import { pageFacts } from "@dueday/core/paging";
import { feeBalanceFields } from "@dueday/core/schemas/feeBalance";
import { ACTIVE_STATUS, statusLabel } from "@dueday/core/subscriptionStatus";
import { atRiskDays } from "@dueday/core/walk/coverage";
import { isAtRisk } from "@dueday/core/walk/listPlansAtRisk";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead, valueOrNull } from "../reads/protocolRead";
import { accountRowsRead } from "../reads/readAccountRows";
import { readMany } from "../reads/readMany";
import { readSubscriptionFacts, type SubscriptionFacts } from "../reads/readSubscriptionFacts";
import { readTable } from "../reads/readTable";
import type { CoverageReader } from "../walk/createCoverageReader";
import { estimateCoverage, plansOfRows } from "../walk/estimateCoverage";
import { presentCoverage } from "../walk/presentCoverage";
import { type SubscriptionAtBlock, unknownSubscription } from "./readSubscription";

/**
 * A page of a subscription's active subscribers, in the order of the contract's set. Null where the contract can't list them: its
 * view reverts (protocol part 7), or the list is too long. Throws ServiceError NOT_FOUND for an unknown id, UPSTREAM_*.
 */
export async function readSubscribers(
  client: ChainClient,
  { first, skip, coverage, ...target }: SubscriptionAtBlock & { first: number; skip: number; coverage: CoverageReader },
) {
  const { contract, id, block } = target;
  const [facts, [listed]] = await Promise.all([
    readSubscriptionFacts(client, { ...target, prefetched: null }),
    readMany(client, [protocolRead(contract, "getSubscribersById", [id])], block),
  ]);
  if (facts === null) throw unknownSubscription(client.chain.id, id);
  const all = valueOrNull(listed, "getSubscribersById");
  if (all === null) return null;
  const rows = all.slice(skip, skip + first);
  return present(client, { contract, block, facts, rows, count: all.length, skip, coverage });
}

export type DescribeSubscribersParameters = SubscriptionAtBlock & {
  /** The page; `count` entries are in the whole list, `skip` of them before the page. */
  subscribers: readonly Address[];
  count: number;
  skip: number;
  coverage: CoverageReader;
};

/**
 * A page of active subscribers that are known from elsewhere, with what the chain has about each. Null for an id that the contract
 * does not know at the block. Throws ServiceError UPSTREAM_*.
 */
export async function describeSubscribers(
  client: ChainClient,
  { subscribers, count, skip, coverage, ...target }: DescribeSubscribersParameters,
) {
  const { contract, id, block } = target;
  const [facts, balances] = await Promise.all([
    readSubscriptionFacts(client, { ...target, prefetched: null }),
    readTable(client, subscribers, (subscriber) => [protocolRead(contract, "feeBalance", [id, subscriber])], block),
  ]);
  if (facts === null) return null;
  const rows = balances.map(({ key: subscriber, results: [feeBalance] }) => ({
    subscriber,
    feeBalance: expectValue(feeBalance, "feeBalance"),
  }));
  return present(client, { contract, block, facts, rows, count, skip, coverage });
}

type SubscriberPage = {
  contract: Address;
  block: ChainBlock;
  facts: SubscriptionFacts;
  /** Fee balances have 18 decimals. */
  rows: readonly { subscriber: Address; feeBalance: bigint }[];
  count: number;
  skip: number;
  coverage: CoverageReader;
};

/** Adds the coverage of each subscriber's coming charges, and whether one of them fails within one whole period. */
async function present(client: ChainClient, { contract, block, facts, rows, count, skip, coverage }: SubscriberPage) {
  const { record, token } = facts;
  const walk = (await coverage.read(client, block)) ?? (await estimate(client, { contract, block, facts, rows }));
  const horizonDays = atRiskDays(record.frequency);
  return {
    horizonDays,
    subscribers: rows.map(({ subscriber, feeBalance }) => {
      const plan = walk.coverageOf(record.id, subscriber);
      return {
        subscriber,
        ...feeBalanceFields(feeBalance, token.decimals),
        status: ACTIVE_STATUS,
        statusLabel: statusLabel(ACTIVE_STATUS),
        ...presentCoverage(plan),
        atRisk: isAtRisk(walk, record, plan),
      };
    }),
    ...pageFacts({ count, skip, shown: rows.length }),
  };
}

/** Of a subscriber who pays more other plans in the token, none of them counts. */
const MOST_OTHER_PLANS = 20;

/** The estimate from all that the subscribers of a page pay in the token. */
async function estimate(
  client: ChainClient,
  { contract, block, facts, rows }: Omit<SubscriberPage, "count" | "skip" | "coverage">,
) {
  const { record } = facts;
  const shown = rows.map(({ subscriber }) => ({ record, subscriber }));
  const rowsOf = (account: Address) => accountRowsRead(contract, { account, bySubscriber: true });
  const table = await readTable(client, shown, ({ subscriber }) => [rowsOf(subscriber)], block);
  const others = table.flatMap(({ key: { subscriber }, results: [all] }) => {
    // Of an account with too many plans to be read or walked this plan alone counts: it must not make the list of a seller fail, or slow.
    if (!all.ok && (all.outOfGas || all.isBroken)) return [];
    const plans = plansOfRows(subscriber, expectValue(all, "getAccountSubscriptions"));
    const paid = plans.filter(({ record: { id, token } }) => id !== record.id && token === record.token);
    return paid.length > MOST_OTHER_PLANS ? [] : paid;
  });
  return estimateCoverage(client, { contract, plans: [...shown, ...others], block });
}
