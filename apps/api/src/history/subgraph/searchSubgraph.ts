import { readHead } from "@dueday/chain/block/readHead";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { readSetSizes, type SetSizes } from "@dueday/chain/reads/readSetSizes";
import { readSubscriptions } from "@dueday/chain/reads/readSubscriptions";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { ServiceError } from "@dueday/core/errors";
import { cleanText } from "@dueday/core/text/cleanText";
import type { Page } from "@dueday/db/history/readEvents";
import type { StoredSubscription, SubscriptionFilters } from "@dueday/db/history/searchSubscriptions";
import { type Address, getAddress, type Hex } from "viem";
import type { Entries } from "../historySource";
import { DetailsLogEntity, ProvDetailsLogEntity, SubLogEntity, toDetails, toProfile, toSubLog } from "./entities";
import { listEntities } from "./listEntities";
import type { MetaOptions } from "./meta";

export type SubgraphOptions = MetaOptions & {
  /** For facts that are in no event: a token's decimals and symbol, a subscription's frequency and due day. */
  client: ChainClient;
  contract: Address;
};

/** Creations read at once; their records come from the chain. */
const CREATIONS_AT_ONCE = 200;
/** Creations read for one page at most. */
const MOST_CREATIONS = 5_000;

/** A subscription with the facts that only the chain's record has. */
type Found = Pick<StoredSubscription, "id" | "provider" | "token" | "amount" | "frequency" | "dueDay" | "cancelled">;

/**
 * Subscriptions that match, newest first. Creations come from the subgraph; frequency, due day and `cancelled` come from the chain's
 * newest block.
 */
export async function searchSubgraph(
  options: SubgraphOptions,
  filters: SubscriptionFilters,
  page: Page,
): Promise<Entries<StoredSubscription>> {
  const wanted = page.skip + page.first + 1;
  const matching: Found[] = [];
  let seen = 0;
  let isWhole = false;
  while (matching.length < wanted && seen < MOST_CREATIONS && !isWhole) {
    const created = await listEntities(
      options,
      { field: "subLogs", entity: SubLogEntity, where: conditions(filters, page) },
      { skip: seen, count: CREATIONS_AT_ONCE },
    );
    seen += created.length;
    isWhole = created.length < CREATIONS_AT_ONCE;
    matching.push(...(await readRecords(options, created.map(toSubLog), filters)));
  }
  const entries = await describe(options, matching.slice(page.skip, page.skip + page.first));
  return { entries, hasMore: matching.length >= wanted, total: isWhole ? matching.length : null };
}

function conditions({ provider, token }: SubscriptionFilters, { atBlock }: Page): string {
  const all = ["subScriptEvent: 0"];
  if (provider !== undefined) all.push(`provider: "${provider}"`);
  if (token !== undefined) all.push(`token: "${token}"`);
  if (atBlock !== null) all.push(`blockNumber_lte: "${atBlock}"`);
  return all.join(", ");
}

async function readRecords(
  { client, contract }: SubgraphOptions,
  created: readonly { id: Hex; provider: Hex; token: Hex }[],
  { frequency, cancelled }: SubscriptionFilters,
): Promise<Found[]> {
  if (created.length === 0) return [];
  const block = await readHead(client);
  const records = await readSubscriptions(client, { contract, ids: created.map(({ id }) => id), block });
  return created.flatMap(({ id, provider, token }) => {
    const record = records.get(id);
    if (record === undefined || record.cancelled !== cancelled) return [];
    if (frequency !== undefined && record.frequency !== frequency) return [];
    return [{ ...record, provider, token }];
  });
}

async function describe(options: SubgraphOptions, found: readonly Found[]): Promise<StoredSubscription[]> {
  if (found.length === 0) return [];
  const { client, contract } = options;
  const block = await readHead(client);
  const providers = [...new Set(found.map(({ provider }) => provider))];
  const [infos, sizes, details, companies] = await Promise.all([
    readTokenInfos(client, { contract, tokens: found.map(({ token }) => token), block }),
    readSetSizes(client, {
      contract,
      subscriptions: found.map(({ id, provider }) => ({ id, provider: getAddress(provider) })),
      block,
    }),
    Promise.all(found.map(({ id }) => readLatestDetails(options, id))),
    Promise.all(providers.map((provider) => readLatestCompany(options, provider))),
  ]);
  const companyOf = new Map(providers.map((provider, index) => [provider, companies[index] ?? null]));
  const byToken = new Map([...infos].map(([address, info]) => [address.toLowerCase(), info]));
  return found.map((subscription, index) => {
    const info = byToken.get(subscription.token);
    return {
      ...subscription,
      tokenSymbol: cleanText(info?.symbol ?? "").text,
      tokenDecimals: info?.decimals ?? 18,
      activeSubscribers: activeOf(sizes[index]),
      details: details[index] ?? null,
      // A subgraph checks no domain.
      seller: { company: companyOf.get(subscription.provider) ?? null, verifiedDomain: null },
    };
  });
}

/**
 * Subtracts the unsubscribed list, whose subscribers are still in the set. Accounts on the list that never subscribed are not in the set:
 * they make the result too low.
 */
function activeOf(sizes: SetSizes | undefined): number {
  if (sizes?.setSize === undefined || sizes.setSize === null) {
    throw new ServiceError("UPSTREAM_ERROR", "The contract did not return the number of subscribers of a subscription");
  }
  return Math.max(0, sizes.setSize - sizes.listSize);
}

async function readLatestDetails(options: SubgraphOptions, id: Hex) {
  const list = { field: "detailsLogs", entity: DetailsLogEntity, where: `internal_id: "${id}"` } as const;
  const [entity] = await listEntities(options, list, { skip: 0, count: 1 });
  return entity === undefined ? null : toDetails(entity);
}

async function readLatestCompany(options: SubgraphOptions, provider: Hex): Promise<string | null> {
  const list = { field: "provDetailsLogs", entity: ProvDetailsLogEntity, where: `provider: "${provider}"` } as const;
  const [entity] = await listEntities(options, list, { skip: 0, count: 1 });
  return entity === undefined ? null : toProfile(entity).company;
}
