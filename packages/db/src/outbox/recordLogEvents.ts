import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { toFrequency } from "@dueday/core/calendar/frequency";
import type { NewDomainEvent } from "@dueday/core/domainEvents/domainEvent";
import type { KnownSubscription, ReceiptFacts } from "@dueday/core/domainEvents/eventBatch";
import { toDomainEvents } from "@dueday/core/domainEvents/toDomainEvents";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { Finality } from "@dueday/core/finality";
import { cleanText } from "@dueday/core/text/cleanText";
import type { TransactionSql } from "postgres";
import { getAddress, type Hex } from "viem";
import type { IndexedLog, IndexedToken, SubscriptionTerms } from "../eventIndex/indexedLog";
import { bytesList, fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { appendEvents, lockOutbox } from "./appendEvents";
import { retract } from "./retractEvents";

/** What the worker knows about the logs of a batch besides their content. */
export type EventFacts = {
  /** Of the transactions that `receiptsNeeded` names, whatever their age. */
  receipts: ReadonlyMap<Hex, ReceiptFacts>;
  /** What is safe and final now; null where it is not known. */
  finality: Finality | null;
  /** Unix seconds: an older log is beyond the retention and gives no event. */
  since: number;
  /** When the events are written. */
  now: Date;
};

/** Logs to be stored, with the terms of the subscriptions that they create and the tokens that may be new. */
export type EventLogs = {
  logs: readonly IndexedLog[];
  terms: readonly SubscriptionTerms[];
  tokens: readonly IndexedToken[];
};

/**
 * Writes the events of logs into the outbox, in the transaction that stores the logs. It has to run before they are applied to the
 * derived tables, because it reads the subscriptions as they were before.
 */
export async function recordLogEvents(
  sql: TransactionSql,
  scope: ContractScope,
  logs: EventLogs,
  facts: EventFacts,
): Promise<void> {
  const events = await eventsOf(sql, scope, logs, facts);
  const rows = events.map((event) => ({ event }));
  await appendEvents(sql, scope, rows, facts.now);
}

/** The events of logs, given what is derived from the logs before them. */
async function eventsOf(
  sql: TransactionSql,
  scope: ContractScope,
  { logs, terms, tokens, blocks }: EventLogs & { blocks?: ReadonlySet<number> },
  facts: EventFacts,
): Promise<NewDomainEvent[]> {
  if (!hasLogsSince(logs, facts.since)) return [];
  return toDomainEvents({
    ...facts,
    chainId: scope.chainId,
    contract: `0x${scope.contract.slice(2).toLowerCase()}`,
    logs,
    ...(blocks && { blocks }),
    subscriptions: await readSubscriptions(sql, scope, logs),
    terms: await readTerms(sql, scope, logs, terms),
    tokens: await readTokens(sql, scope, tokens),
  });
}

/** Whether any of the logs has the time `since` (unix seconds) or a later one. */
export function hasLogsSince(logs: readonly IndexedLog[], since: number): boolean {
  return logs.some(({ event }) => event.event !== "Coordinates" && event.timestamp >= since);
}

/** Terms of the subscriptions that the logs create: those given, and in a repair those stored before. */
async function readTerms(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  logs: readonly IndexedLog[],
  given: readonly SubscriptionTerms[],
): Promise<Map<Hex, { frequency: number; dueDay: number }>> {
  const terms = new Map<Hex, { frequency: number; dueDay: number }>(given.map((each) => [each.id, each]));
  const missing = logs.flatMap(({ event }) =>
    event.event === "SubLog" && event.code === subLogCode.Create && !terms.has(event.id) ? [event.id] : [],
  );
  if (missing.length === 0) return terms;
  const rows = await sql<{ id: Uint8Array; frequency: number; due_day: number }[]>`
    select id, frequency, due_day from subscription_terms
    where chain_id = ${chainId} and contract = ${contract} and id in ${bytesList(sql, missing)}`;
  for (const { id, frequency, due_day } of rows) terms.set(fromBytes(id), { frequency, dueDay: due_day });
  return terms;
}

/**
 * Makes the events of some blocks equal to those of their logs: writes the missing ones late, with new seqs, and retracts those that
 * follow from no log. Call it in the transaction of a repair, while the derived tables are as they were before the first of these blocks.
 *
 * @param logs all logs from the first of these blocks to the end of the repair; receipts are needed for those of `blocks`
 */
export async function repairLogEvents(
  sql: TransactionSql,
  scope: ContractScope,
  { blocks, ...chain }: EventLogs & { blocks: readonly number[] },
  facts: EventFacts,
): Promise<void> {
  const { chainId, contract } = scope;
  const from = Math.min(...blocks);
  const repaired = new Set(blocks);
  const logs = chain.logs.filter(({ blockNumber }) => blockNumber >= from);
  const events = await eventsOf(sql, scope, { ...chain, logs, blocks: repaired }, facts);
  await lockOutbox(sql, scope);
  const rows = await sql<{ id: string; body: string }[]>`select id, body from outbox
    where chain_id = ${chainId} and contract = ${contract} and not retracted and not from_plan
      and block_number in ${sql([...repaired])}`;
  // By content too: a missing log can change what the others mean, such as the reason why a subscriber left.
  const written = new Map(rows.map(({ id, body }) => [contentOf({ ...JSON.parse(body), id }), id]));
  const wanted = new Set(events.map(contentOf));
  const wrong = [...written].flatMap(([content, id]) => (wanted.has(content) ? [] : [id]));
  if (wrong.length > 0) await retract(sql, scope, sql`id in ${sql(wrong)}`, facts.now);
  const missing = events.filter((event) => !written.has(contentOf(event)));
  await appendEvents(
    sql,
    scope,
    missing.map((event) => ({ event })),
    facts.now,
  );
}

function contentOf({ id, data }: Pick<NewDomainEvent, "id" | "data">): string {
  return `${id} ${JSON.stringify(data)}`;
}

type SubscriptionRow = Record<"id" | "provider" | "token", Uint8Array> & {
  amount: string;
  frequency: number;
  due_day: number;
  cancelled: boolean;
  url: string | null;
  description: string | null;
  truncated: boolean | null;
};

async function readSubscriptions(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  logs: readonly IndexedLog[],
): Promise<Map<Hex, KnownSubscription>> {
  const ids = new Set(logs.flatMap(({ event }) => ("id" in event ? [event.id] : [])));
  if (ids.size === 0) return new Map();
  const rows = await sql<SubscriptionRow[]>`
    select id, provider, token, amount, frequency, due_day, cancelled_block is not null as cancelled, url, description,
      details_truncated as truncated
    from subscriptions where chain_id = ${chainId} and contract = ${contract} and id in ${bytesList(sql, [...ids])}`;
  return new Map(rows.map((row) => [fromBytes(row.id), toKnown(row)]));
}

function toKnown(row: SubscriptionRow): KnownSubscription {
  const { provider, token, amount, frequency, due_day, cancelled, url, description, truncated } = row;
  const details = url === null ? null : { url, description: description ?? "", truncated: truncated ?? false };
  return {
    provider: fromBytes(provider),
    token: fromBytes(token),
    amount: BigInt(amount),
    frequency: toFrequency(frequency),
    dueDay: due_day,
    cancelled,
    details,
  };
}

/** The tokens by lower-case address: those of the batch, and those that are known. */
async function readTokens(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  tokens: readonly IndexedToken[],
): Promise<Map<Hex, TokenInfo>> {
  const rows = await sql<{ token: Uint8Array; symbol: string; decimals: number }[]>`
    select token, symbol, decimals from indexed_tokens where chain_id = ${chainId} and contract = ${contract}`;
  const stored = rows.map((row) => ({ ...row, token: fromBytes(row.token) }));
  // A stored record wins, as it does where events are read from the index.
  const all = [...tokens, ...stored];
  return new Map(
    all.map(({ token, symbol, decimals }) => [
      token,
      { address: getAddress(token), symbol: cleanText(symbol).text, decimals },
    ]),
  );
}
