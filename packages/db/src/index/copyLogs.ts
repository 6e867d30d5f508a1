import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { cleanText } from "@dueday/core/text/cleanText";
import type { TransactionSql } from "postgres";
import type { ContractScope } from "../schema/columns";
import { type CopyValue, copyRows } from "./copyRows";
import type { IndexedLog } from "./indexedLog";

type Table = { name: string; columns: readonly string[] };

const LOG_COLUMNS = ["chain_id", "contract", "block_number", "log_index", "block_hash", "transaction_hash"];

/** Events that have a table. UList has none, because no answer needs it. */
type StoredEvent = Exclude<ProtocolEvent, { event: "UList" }>;

/** Columns after those of every log, in the order of `valuesOf`. */
const tables: Readonly<Record<StoredEvent["event"], Table>> = {
  SubLog: {
    name: "sub_logs",
    columns: ["subscription_id", "provider", "subscriber", "token", "timestamp", "amount", "code"],
  },
  DetailsLog: {
    name: "details_logs",
    columns: ["subscription_id", "provider", "timestamp", "url", "description", "truncated", "raw"],
  },
  ProvDetailsLog: {
    name: "provider_details_logs",
    columns: [
      ...["provider", "timestamp", "description", "company", "url", "domain", "email", "misc"],
      ...["truncated", "raw"],
    ],
  },
  CallerLog: { name: "caller_logs", columns: ["timestamp", "checked_day", "caller", "is_finished"] },
  Coordinates: {
    name: "coordinates_logs",
    columns: ["subscription_id", "subscriber_index", "subscription_index", "frequency", "next_unchecked_day"],
  },
};

/** Names of the tables that hold logs. */
export const logTables: readonly string[] = Object.values(tables).map((table) => table.name);

/** Writes logs into the tables of their events. Untrusted texts are cleaned here; the unchanged data is stored in `raw`. */
export async function copyLogs(sql: TransactionSql, scope: ContractScope, logs: readonly IndexedLog[]): Promise<void> {
  const rows = Map.groupBy(logs.filter(isStored), (log) => log.event.event);
  for (const [event, ofEvent] of rows) {
    const { name, columns } = tables[event];
    await copyRows(
      sql,
      name,
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
  const position = [chainId, contract, blockNumber, logIndex, { hex: blockHash }, { hex: transactionHash }];
  return [...position, ...valuesOf(log)];
}

function valuesOf({ event, data }: StoredLog): CopyValue[] {
  switch (event.event) {
    case "SubLog": {
      const { id, provider, subscriber, token, timestamp, amount, code } = event;
      return [{ hex: id }, { hex: provider }, { hex: subscriber }, { hex: token }, timestamp, amount, code];
    }
    case "DetailsLog":
      return [
        ...[{ hex: event.id }, { hex: event.provider }, event.timestamp],
        ...cleanColumns([event.url, event.description]),
        { hex: data },
      ];
    case "ProvDetailsLog": {
      const { description, company, url, domain, email, misc } = event;
      return [
        ...[{ hex: event.provider }, event.timestamp],
        ...cleanColumns([description, company, url, domain, email, misc]),
        { hex: data },
      ];
    }
    case "CallerLog":
      return [event.timestamp, event.checkedDay, { hex: event.caller }, event.isFinished];
    case "Coordinates": {
      const { id, subscriberIndex, subscriptionIndex, frequency, nextUncheckedDay } = event;
      return [{ hex: id }, subscriberIndex, subscriptionIndex, frequency, nextUncheckedDay];
    }
  }
}

/** The cleaned texts, then whether one of them was cut. */
function cleanColumns(texts: readonly string[]): CopyValue[] {
  const cleaned = texts.map((text) => cleanText(text));
  return [...cleaned.map(({ text }) => text), cleaned.some(({ truncated }) => truncated)];
}
