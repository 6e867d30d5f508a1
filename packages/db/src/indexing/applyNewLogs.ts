import type { TransactionSql } from "postgres";
import { deriveRange } from "../eventIndex/deriveRange";
import type { BlockRange, IndexedToken } from "../eventIndex/indexedLog";
import { preferHashJoins } from "../eventIndex/preferHashJoins";
import { hasLogsSince, recordLogEvents } from "../outbox/recordLogEvents";
import { recordRecovered } from "../outbox/recordRecovered";
import { toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import type { NewLogs } from "./copyNewLogs";

/** Up to this many logs, look-ups by key are cheaper than reading whole derived tables. */
const FEW_LOGS = 300;

/**
 * Writes the events of copied logs and applies all stored logs of `range` to the derived tables. It runs in the transaction that has
 * copied the logs, after that transaction has locked the checkpoint.
 */
export async function applyNewLogs(
  sql: TransactionSql,
  scope: ContractScope,
  { logs, terms, tokens, events, range }: NewLogs & { range: BlockRange },
): Promise<void> {
  if (logs.length === 0) return;
  // Runs before the logs are applied, because it reads the subscriptions as they were.
  if (events !== undefined) await recordLogEvents(sql, scope, { logs, terms, tokens }, events);
  // Sent together, in this order, like the statements of `deriveRange`.
  await Promise.all([
    addTokens(sql, scope, tokens),
    preferHashJoins(sql, logs.length > FEW_LOGS),
    deriveRange(sql, scope, range),
  ]);
  if (events !== undefined && hasLogsSince(logs, events.since)) await recordRecovered(sql, scope, range);
}

async function addTokens(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  tokens: readonly IndexedToken[],
): Promise<void> {
  await Promise.all(
    tokens.map(({ token, symbol, decimals }) => {
      const row = sql`${chainId}, ${contract}, ${toBytes(token)}, ${symbol}, ${decimals}`;
      return sql`insert into indexed_tokens values (${row}) on conflict do nothing`;
    }),
  );
}
