import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { TransactionSql } from "postgres";
import type { Database } from "../connectDatabase";
import { isStored, logTables } from "../eventIndex/copyLogs";
import { deriveRange } from "../eventIndex/deriveRange";
import type { BlockRange, IndexedLog } from "../eventIndex/indexedLog";
import { type LogPosition, positionsIn } from "../eventIndex/logPositions";
import { preferHashJoins } from "../eventIndex/preferHashJoins";
import { underiveAbove } from "../eventIndex/underiveAbove";
import { receiptTables, writeReceipts } from "../eventIndex/writeReceipts";
import { type EventFacts, hasLogsSince, repairLogEvents } from "../outbox/recordLogEvents";
import { recordRecovered } from "../outbox/recordRecovered";
import type { ContractScope } from "../schema/columns";
import { applyNewLogs } from "./applyNewLogs";
import { copyNewLogs, type NewLogs } from "./copyNewLogs";
import type { Checkpoint } from "./readCheckpoint";

/** The logs of a range of indexed blocks, as the chain has them. */
export type LogRepair = NewLogs & {
  /** Both ends are included; `to` is not above the checkpoint. */
  range: BlockRange;
  /** The checkpoint before the logs were read. */
  seen: Pick<Checkpoint, "rewinds">;
};

/** What a repair changed. */
export type Repaired = {
  /** Logs that were missing, in order. */
  added: IndexedLog[];
  /** Positions whose logs are not on the chain. */
  removed: LogPosition[];
};

/**
 * Makes the stored logs of a range equal to those of the chain, and the derived tables equal to the logs, in one transaction. Events
 * of the missing logs are written late, with new seqs, and those of wrong logs are retracted.
 * Terms are needed for the missing logs only; the index ignores others.
 *
 * @returns what changed; null, with nothing changed, where the checkpoint has moved back meanwhile
 */
export async function repairLogs(
  database: Database,
  scope: ContractScope,
  { range, seen, logs, terms, tokens, events }: LogRepair,
): Promise<Repaired | null> {
  const { chainId, contract } = scope;
  return database.run("repair the index", () =>
    database.sql.begin(async (sql) => {
      const [locked] = await sql<{ number: number }[]>`
        select number::float8 as number from index_checkpoints
        where chain_id = ${chainId} and contract = ${contract} and number >= ${range.to} and rewinds = ${seen.rewinds}
        for update`;
      if (locked === undefined) return null;
      const stored = await positionsIn(sql, scope, range);
      const known = new Set(stored.map(nameOf));
      const onChain = new Set(logs.map(nameOf));
      const added = logs.filter((log) => isStored(log) && !known.has(nameOf(log)));
      const removed = stored.filter((position) => !onChain.has(nameOf(position)));
      const blocks = [...added, ...removed].map(({ blockNumber }) => blockNumber);
      if (blocks.length === 0) return { added, removed };
      const from = Math.min(...blocks);
      await preferHashJoins(sql, true);
      await underiveAbove(sql, scope, from - 1);
      await deleteLogs(sql, scope, removed);
      if (events !== undefined) await replaceReceipts(sql, scope, { logs, blocks, receipts: events.receipts });
      if (events !== undefined) await repairLogEvents(sql, scope, { logs, terms, tokens, blocks }, events);
      const rest = { from, to: locked.number };
      const created = new Set(added.flatMap(({ event }) => (isCreation(event) ? [event.id] : [])));
      const missing = terms.filter(({ id }) => created.has(id));
      if (added.length > 0) {
        const late = { logs: added, terms: missing, tokens };
        await copyNewLogs(sql, scope, late);
        await applyNewLogs(sql, scope, { ...late, range: rest });
        if (events !== undefined && hasLogsSince(added, events.since))
          await recordRecovered(sql, scope, { from, to: range.to });
      } else await deriveRange(sql, scope, rest);
      return { added, removed };
    }),
  );
}

/** Replaces the receipts of every block in which a log was missing or wrong: receipts are read of whole blocks. */
async function replaceReceipts(
  sql: TransactionSql,
  scope: ContractScope,
  { logs, blocks, receipts }: Pick<LogRepair, "logs"> & { blocks: readonly number[] } & Pick<EventFacts, "receipts">,
): Promise<void> {
  const repaired = new Set(blocks);
  for (const table of receiptTables) {
    await sql`delete from ${sql(table)} where chain_id = ${scope.chainId} and contract = ${scope.contract}
      and block_number in ${sql([...repaired])}`;
  }
  const ofBlocks = logs.filter(({ blockNumber }) => repaired.has(blockNumber));
  await writeReceipts(sql, scope, ofBlocks, receipts);
}

async function deleteLogs(sql: TransactionSql, scope: ContractScope, positions: readonly LogPosition[]): Promise<void> {
  const { chainId, contract } = scope;
  for (const { blockNumber, logIndex } of positions) {
    const ours = sql`chain_id = ${chainId} and contract = ${contract} and block_number = ${blockNumber}`;
    await sql`delete from subscription_terms using sub_logs l
      where subscription_terms.chain_id = ${chainId} and subscription_terms.contract = ${contract}
        and id = l.subscription_id and created_block = l.block_number and l.chain_id = ${chainId}
        and l.contract = ${contract} and l.block_number = ${blockNumber} and l.log_index = ${logIndex} and l.code = 0`;
    for (const table of [...logTables, "recovered_payments"])
      await sql`delete from ${sql(table)} where ${ours} and log_index = ${logIndex}`;
  }
}

function isCreation(event: ProtocolEvent): event is ProtocolEvent & { event: "SubLog" } {
  return event.event === "SubLog" && event.code === subLogCode.Create;
}

function nameOf({ blockNumber, logIndex, blockHash }: LogPosition): string {
  return `${blockNumber} ${logIndex} ${blockHash}`;
}
