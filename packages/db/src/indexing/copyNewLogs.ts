import type { TransactionSql } from "postgres";
import { copyLogs } from "../eventIndex/copyLogs";
import type { IndexedLog, IndexedToken, SubscriptionTerms } from "../eventIndex/indexedLog";
import { writeReceipts } from "../eventIndex/writeReceipts";
import type { EventFacts } from "../outbox/recordLogEvents";
import { copyRows } from "../rows/copyRows";
import { subscriptionTerms } from "../schema/chainFacts";
import type { ContractScope } from "../schema/columns";

/** Logs that are not stored yet, with what the events do not contain. */
export type NewLogs = {
  logs: readonly IndexedLog[];
  /** Terms of every subscription that these logs create. */
  terms: readonly SubscriptionTerms[];
  /** Tokens that may be new. */
  tokens: readonly IndexedToken[];
  /**
   * What else is needed for their events and for the money that they move; absent where there are no logs, and where `repairLogs` has
   * written the events and the receipts itself.
   */
  events?: EventFacts;
};

/**
 * Inserts logs, and what was read of the chain for them: the one place where logs enter the index, whether in their turn or late.
 * `applyNewLogs` has to follow in the same transaction.
 */
export async function copyNewLogs(
  sql: TransactionSql,
  scope: ContractScope,
  { logs, terms, events }: Pick<NewLogs, "logs" | "terms" | "events">,
): Promise<void> {
  const { chainId, contract } = scope;
  await copyLogs(sql, scope, logs);
  if (events !== undefined) await writeReceipts(sql, scope, logs, events.receipts);
  await copyRows(
    sql,
    subscriptionTerms,
    ["chain_id", "contract", "id", "created_block", "frequency", "due_day"],
    terms.map(({ id, createdBlock, frequency, dueDay }) => [chainId, contract, id, createdBlock, frequency, dueDay]),
  );
}
