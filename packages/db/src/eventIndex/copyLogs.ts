import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { cleanText } from "@dueday/core/text/cleanText";
import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { TransactionSql } from "postgres";
import { copyRows } from "../rows/copyRows";
import type { CopyValue } from "../rows/encodeRows";
import type { ContractScope } from "../schema/columns";
import { callerLogs, coordinatesLogs, detailsLogs, providerDetailsLogs, subLogs } from "../schema/logs";
import type { IndexedLog } from "./indexedLog";

type Target = { table: PgTable; columns: readonly string[] };

const LOG_COLUMNS = ["chain_id", "contract", "block_number", "log_index", "block_hash", "transaction_hash"];

/** Events that have a table. UList has none, because no answer needs it. */
type StoredEvent = Exclude<ProtocolEvent, { event: "UList" }>;

/** Columns after those of every log, in the order of `valuesOf`. */
const tables: Readonly<Record<StoredEvent["event"], Target>> = {
  SubLog: {
    table: subLogs,
    columns: ["subscription_id", "provider", "subscriber", "token", "timestamp", "amount", "code"],
  },
  DetailsLog: {
    table: detailsLogs,
    columns: ["subscription_id", "provider", "timestamp", "url", "description", "truncated", "raw"],
  },
  ProvDetailsLog: {
    table: providerDetailsLogs,
    columns: ["provider", "timestamp", "description", "company", "url", "domain", "email", "misc", "truncated", "raw"],
  },
  CallerLog: { table: callerLogs, columns: ["timestamp", "checked_day", "caller", "is_finished"] },
  Coordinates: {
    table: coordinatesLogs,
    columns: ["subscription_id", "subscriber_index", "subscription_index", "frequency", "next_unchecked_day"],
  },
};

/** Names of the tables that hold logs. */
export const logTables: readonly string[] = Object.values(tables).map(({ table }) => getTableName(table));

/** Writes logs into the tables of their events. Untrusted texts are cleaned here; the unchanged data is stored in `raw`. */
export async function copyLogs(sql: TransactionSql, scope: ContractScope, logs: readonly IndexedLog[]): Promise<void> {
  const rows = Map.groupBy(logs.filter(isStored), (log) => log.event.event);
  for (const [event, ofEvent] of rows) {
    const { table, columns } = tables[event];
    await copyRows(
      sql,
      table,
      [...LOG_COLUMNS, ...columns],
      ofEvent.map((log) => rowOf(scope, log)),
    );
  }
}

type StoredLog = IndexedLog & { event: StoredEvent };

/** Whether the event of a log has a table. */
export function isStored(log: IndexedLog): log is StoredLog {
  return log.event.event !== "UList";
}

function rowOf({ chainId, contract }: ContractScope, log: StoredLog): CopyValue[] {
  const { blockNumber, logIndex, blockHash, transactionHash } = log;
  const position = [chainId, contract, blockNumber, logIndex, blockHash, transactionHash];
  return [...position, ...valuesOf(log)];
}

function valuesOf({ event, data }: StoredLog): CopyValue[] {
  switch (event.event) {
    case "SubLog": {
      const { id, provider, subscriber, token, timestamp, amount, code } = event;
      return [id, provider, subscriber, token, timestamp, amount, code];
    }
    case "DetailsLog":
      return [event.id, event.provider, event.timestamp, ...cleanColumns([event.url, event.description]), data];
    case "ProvDetailsLog": {
      const { description, company, url, domain, email, misc } = event;
      return [event.provider, event.timestamp, ...cleanColumns([description, company, url, domain, email, misc]), data];
    }
    case "CallerLog":
      return [event.timestamp, event.checkedDay, event.caller, event.isFinished];
    case "Coordinates": {
      const { id, subscriberIndex, subscriptionIndex, frequency, nextUncheckedDay } = event;
      return [id, subscriberIndex, subscriptionIndex, frequency, nextUncheckedDay];
    }
  }
}

/** The cleaned texts, then whether one of them was cut. */
function cleanColumns(texts: readonly string[]): CopyValue[] {
  const cleaned = texts.map((text) => cleanText(text));
  return [...cleaned.map(({ text }) => text), cleaned.some(({ truncated }) => truncated)];
}
