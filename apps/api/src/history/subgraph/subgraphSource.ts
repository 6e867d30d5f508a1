import { readHead } from "@dueday/chain/block/readHead";
import { readSubscriptions } from "@dueday/chain/reads/readSubscriptions";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { validationError } from "@dueday/core/errors";
import { subLogCode, subLogNames } from "@dueday/core/events/subLogEvents";
import { cleanText } from "@dueday/core/text/cleanText";
import type { ActivityCounts, EventFilters, Page } from "@dueday/db/history/readEvents";
import type { TObject } from "@sinclair/typebox";
import { getAddress, type Hex } from "viem";
import type { Entries, HistoryEvent, HistorySource, Sourced } from "../historySource";
import { DetailsLogEntity, ProvDetailsLogEntity, SubLogEntity, toDetails, toProfile, toSubLog } from "./entities";
import { type EntityList, listEntities } from "./listEntities";
import { createMeta } from "./meta";
import { type SubgraphOptions, searchSubgraph } from "./searchSubgraph";

/** Events from a Graph endpoint. It returns no counts: a total is known only where the end of a list was read. */
export function subgraphSource(options: SubgraphOptions): HistorySource {
  const readAsOf = createMeta(options);

  async function sourced<T>(value: Promise<T>): Promise<Sourced<T>> {
    const [asOf, found] = await Promise.all([readAsOf(), value]);
    return { asOf, value: found };
  }

  async function pageOf<T extends TObject, R>(
    list: EntityList<T>,
    { first, skip }: Page,
    convert: (entities: Awaited<ReturnType<typeof listEntities<T>>>) => Promise<R[]> | R[],
  ): Promise<Entries<R>> {
    const found = await listEntities(options, list, { skip, count: first + 1 });
    return cut(await convert(found), first, skip);
  }

  async function describeEvents(entities: SubLogEntity[]): Promise<HistoryEvent[]> {
    const events = entities.map(toSubLog).filter(({ code }) => code < subLogNames.length);
    if (events.length === 0) return [];
    const { client, contract } = options;
    const tokens = [...new Set(events.map(({ token }) => getAddress(token)))];
    const failed = events.filter(({ code }) => code === subLogCode.Failed);
    const ids = [...new Set(failed.map(({ id }) => id))];
    const block = await readHead(client);
    const [infos, records] = await Promise.all([
      readTokenInfos(client, { contract, tokens, block }),
      readSubscriptions(client, { contract, ids, block }),
    ]);
    return events.map((event) => {
      const info = infos.get(getAddress(event.token));
      if (info === undefined) throw new Error("readTokenInfos did not return a token");
      const { symbol, decimals } = info;
      const amount = event.code === subLogCode.Failed ? (records.get(event.id)?.amount ?? event.amount) : event.amount;
      return { ...event, amount, tokenSymbol: cleanText(symbol).text, tokenDecimals: decimals, finality: "latest" };
    });
  }

  async function readEvents(id: Hex, page: Page): Promise<Entries<HistoryEvent> | null> {
    const list = { field: "subLogs", entity: SubLogEntity, where: where(page, `internal_id: "${id}"`) } as const;
    // Creating a subscription is an event.
    return knownOrNull(await pageOf(list, page, describeEvents), page);
  }

  async function readActivity(account: Hex, page: Page) {
    const count = page.skip + page.first + 1;
    const ofRole = (role: string) => {
      const list = { field: "subLogs", entity: SubLogEntity, where: where(page, `${role}: "${account}"`) } as const;
      return listEntities(options, list, { skip: 0, count });
    };
    const [asProvider, asSubscriber] = await Promise.all([ofRole("provider"), ofRole("subscriber")]);
    const both = new Map([...asProvider, ...asSubscriber].map((entity) => [entity.id, entity]));
    const newestFirst = [...both.values()].sort((a, b) => Number(b.blockNumber) - Number(a.blockNumber));
    const shown = await describeEvents(newestFirst.slice(page.skip, count));
    const isWhole = asProvider.length < count && asSubscriber.length < count;
    const counts = isWhole ? countByCode(account, [...both.values()]) : null;
    const entries = cut(shown, page.first, page.skip);
    return { ...entries, total: isWhole ? both.size : entries.total, counts };
  }

  return {
    search: (filters, page) => sourced(searchSubgraph(options, filters, page)),
    async readDetails(id, page, filters) {
      refuseUnsupported(page, filters);
      const list = {
        field: "detailsLogs",
        entity: DetailsLogEntity,
        where: where(page, `internal_id: "${id}"`),
      } as const;
      const found = pageOf(list, page, (entities) => entities.map(toDetails));
      // A subscription is created with its first details.
      return sourced(found.then((each) => knownOrNull(each, page)));
    },
    async readEvents(id, page, filters) {
      refuseUnsupported(page, filters);
      return sourced(readEvents(id, page));
    },
    async readActivity(account, page, filters) {
      refuseUnsupported(page, filters);
      return sourced(readActivity(account, page));
    },
    readProfile: (provider) => {
      const list = {
        field: "provDetailsLogs",
        entity: ProvDetailsLogEntity,
        where: `provider: "${provider}"`,
      } as const;
      const latest = listEntities(options, list, { skip: 0, count: 1 });
      return sourced(latest.then(([entity]) => (entity === undefined ? null : toProfile(entity))));
    },
  };
}

/** Null for the first page of a subscription without entries at any block: it was never created. */
function knownOrNull<T>(found: Entries<T>, { skip, atBlock }: Page): Entries<T> | null {
  return found.entries.length === 0 && skip === 0 && atBlock === null ? null : found;
}

/** The endpoint's rows have no log index to go on from, and its filters differ from one deployment to another. */
function refuseUnsupported({ after }: Page, filters: EventFilters): void {
  const message = "is not available from this service's source of history; leave it out";
  if (after !== undefined) throw validationError("after", "NOT_ALLOWED", message);
  const names = { code: "eventName", subscription: "subscription", fromTimestamp: "fromDate", toTimestamp: "toDate" };
  for (const [key, name] of Object.entries(names))
    if (key in filters) throw validationError(name, "NOT_ALLOWED", message);
}

function where({ atBlock }: Page, condition: string): string {
  return atBlock === null ? condition : `${condition}, blockNumber_lte: "${atBlock}"`;
}

/** The page without the extra entry that was read to see whether the list continues. */
function cut<T>(entries: T[], first: number, skip: number): Entries<T> {
  const hasMore = entries.length > first;
  const sawEnd = !hasMore && (entries.length > 0 || skip === 0);
  return { entries: entries.slice(0, first), hasMore, total: sawEnd ? skip + entries.length : null };
}

function countByCode(account: Hex, entities: readonly SubLogEntity[]): ActivityCounts {
  const none = () => subLogNames.map(() => 0);
  const counts: ActivityCounts = { asProvider: none(), asSubscriber: none(), both: none() };
  const add = (numbers: number[], code: number) => {
    numbers[code] = (numbers[code] ?? 0) + 1;
  };
  for (const { code, provider, subscriber } of entities.map(toSubLog)) {
    if (provider === account) add(counts.asProvider, code);
    if (subscriber === account) add(counts.asSubscriber, code);
    if (provider === account && subscriber === account) add(counts.both, code);
  }
  return counts;
}
