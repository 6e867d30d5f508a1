import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import type { Database } from "@dueday/db/connectDatabase";
import type { IndexedBlock, IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { rewindLogs } from "@dueday/db/indexing/rewindLogs";
import { type OpenBatch, storeLogs, storeLogsAhead } from "@dueday/db/indexing/storeLogs";
import type { ContractScope } from "@dueday/db/schema/columns";
import { type Hex, numberToHex } from "viem";

let contracts = 0;

/** A contract that no other test writes to, on a separate chain, because ids are looked up by chain. */
export function newScope(): ContractScope {
  contracts += 1;
  return { chainId: contracts, contract: hex(contracts, 20) };
}

/** An id, hash or address made of a small number. */
export function hex(value: number, bytes: number): Hex {
  return numberToHex(value, { size: bytes });
}

/** Block of a height; another `fork` has another hash. */
export function block(number: number, fork = 0): IndexedBlock {
  return { number, hash: hex(number * 1_000 + fork, 32), timestamp: 1_770_000_000 + number };
}

/** A log of a block; two logs share a transaction unless `transaction` is given. */
export function logAt(
  { number, hash }: IndexedBlock,
  logIndex: number,
  event: ProtocolEvent,
  { data = "0x", transaction = Math.floor(logIndex / 2) }: { data?: Hex; transaction?: number } = {},
): IndexedLog {
  return {
    blockNumber: number,
    logIndex,
    blockHash: hash,
    event,
    data,
    transactionHash: hex(number * 100 + transaction, 32),
  };
}

/** Stores whole blocks after those already stored. */
export async function storeBlocks(
  database: Database,
  scope: ContractScope,
  { after, blocks, logs }: { after: IndexedBlock | null; blocks: IndexedBlock[]; logs: IndexedLog[] },
  turn?: Omit<OpenBatch, "collect">,
): Promise<boolean> {
  const checkpoint = blocks.at(-1);
  if (checkpoint === undefined) throw new Error("storeBlocks needs at least one block");
  const created = logs.flatMap(({ event, blockNumber }) =>
    event.event === "SubLog" && event.code === 0 ? [{ id: event.id, createdBlock: blockNumber }] : [],
  );
  const batch = {
    after,
    checkpoint,
    blocks,
    logs,
    headNumber: checkpoint.number,
    blocksPerSecond: null,
    terms: created.map((creation) => ({ ...creation, frequency: 1, dueDay: 28 })),
    tokens: [{ token: hex(7, 20), symbol: "USDC", decimals: 6 }],
    confirmedAt: new Date(0),
  };
  if (turn === undefined) return storeLogs(database, scope, batch);
  const collect: OpenBatch["collect"] = async (copy) => {
    await copy({ logs: [], terms: batch.terms });
    for (const log of logs) await copy({ logs: [log], terms: [] });
    return batch;
  };
  return storeLogsAhead(database, scope, { ...turn, collect });
}

/** Takes the index back to a block; false where the index is not above that block. */
export async function rewindTo(
  database: Database,
  scope: ContractScope,
  ancestor: IndexedBlock,
  now?: Date,
): Promise<boolean> {
  const seen = await readCheckpoint(database, scope);
  if (seen === null) throw new Error("nothing is indexed");
  return rewindLogs(database, scope, { ancestor, seen, ...(now && { now }) });
}
