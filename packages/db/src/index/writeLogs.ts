import type { TransactionSql } from "postgres";
import { type EventFacts, recordLogEvents } from "../outbox/recordLogEvents";
import type { ContractScope } from "../schema/columns";
import { toBytes } from "./bytes";
import { copyLogs } from "./copyLogs";
import { copyRows } from "./copyRows";
import { deriveRange } from "./deriveRange";
import type { BlockRange, IndexedLog, IndexedToken, SubscriptionTerms } from "./indexedLog";
import { preferHashJoins } from "./preferHashJoins";
import { writeReceipts } from "./writeReceipts";

/** Up to this many logs, look-ups by key are cheaper than reading whole derived tables. */
const FEW_LOGS = 300;

/** Logs that are not stored yet, with what the events do not contain. */
export type NewLogs = {
  logs: readonly IndexedLog[];
  /** Terms of every subscription that these logs create. */
  terms: readonly SubscriptionTerms[];
  /** Tokens that may be new. */
  tokens: readonly IndexedToken[];
  /** What their events and the money that they move need besides; absent where there are no logs. */
  events?: EventFacts;
};

/**
 * Inserts logs, writes their events and applies the stored logs of `range` to the derived tables: the one place where logs enter
 * the index, whether in their turn or late. It runs in the caller's transaction, which has locked the checkpoint.
 * With `areCopied`, that transaction has copied the logs already.
 */
export async function writeLogs(
  sql: TransactionSql,
  scope: ContractScope,
  { logs, terms, tokens, events, range, areCopied = false }: NewLogs & { range: BlockRange; areCopied?: boolean },
): Promise<void> {
  if (logs.length === 0) return;
  // Before the logs are applied: it reads the subscriptions as they were.
  if (events !== undefined) await recordLogEvents(sql, scope, { logs, terms, tokens }, events);
  const { chainId, contract } = scope;
  if (!areCopied) await copyLogs(sql, scope, logs);
  if (events !== undefined) await writeReceipts(sql, scope, logs, events.receipts);
  await copyRows(
    sql,
    "subscription_terms",
    ["chain_id", "contract", "id", "created_block", "frequency", "due_day"],
    terms.map(({ id, createdBlock, frequency, dueDay }) => [
      ...[chainId, contract, { hex: id }],
      ...[createdBlock, frequency, dueDay],
    ]),
  );
  for (const { token, symbol, decimals } of tokens) {
    await sql`insert into indexed_tokens values (${chainId}, ${contract}, ${toBytes(token)},
      ${symbol}, ${decimals}) on conflict do nothing`;
  }
  await preferHashJoins(sql, logs.length > FEW_LOGS);
  await deriveRange(sql, scope, range);
}
