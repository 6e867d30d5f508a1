import { decodeProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import { logTables } from "@dueday/db/eventIndex/copyLogs";
import type { DevnetClient } from "@dueday/devnet/client";
import type { Sql } from "postgres";
import type { Address } from "viem";

/** The difference between the logs in the index and on the chain; null for none. The index must be at the head. */
export async function compareIndex(sql: Sql, client: DevnetClient, contract: Address): Promise<string | null> {
  const logs = await client.getLogs({ address: contract, fromBlock: 0n, toBlock: "latest" });
  const onChain = logs
    .filter((log) => !["UList", undefined].includes(decodeProtocolEvent(log)?.event))
    .map(({ blockNumber, logIndex, transactionHash }) => `${blockNumber} ${logIndex} ${transactionHash}`);
  const rows = await Promise.all(
    logTables.map(
      (table) => sql<{ place: string }[]>`
        select block_number || ' ' || log_index || ' 0x' || encode(transaction_hash, 'hex') as place from ${sql(table)}`,
    ),
  );
  const stored = rows.flat().map(({ place }) => place);
  const missing = onChain.filter((place) => !stored.includes(place));
  const surplus = stored.filter((place) => !onChain.includes(place));
  if (missing.length + surplus.length === 0 && stored.length === onChain.length) return null;
  return `${missing.length} events are missing, ${surplus.length} are not on the chain, ${stored.length} of ${onChain.length} stored`;
}
