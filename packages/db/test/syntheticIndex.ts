import type { Database } from "@dueday/db/connectDatabase";
import type { IndexedBlock, IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { analyzeIndex } from "@dueday/db/indexing/analyzeIndex";
import { storeLogs } from "@dueday/db/indexing/storeLogs";
import type { ContractScope } from "@dueday/db/schema/columns";
import { numberToHex } from "viem";

export type SyntheticSize = { logs: number; subscriptions: number; providers: number; subscribers: number };

const LOGS_A_BLOCK = 50;
/** Blocks whose logs are stored in one batch: the number bounds its memory. */
const BLOCKS_A_BATCH = 400;
const LATER_CODES = [6, 5, 2, 8, 2, 5, 7, 4];

/** Fills an index with a history of that size, whose subscriptions are created evenly over its whole length. */
export async function fillIndex(database: Database, scope: ContractScope, size: SyntheticSize): Promise<void> {
  const blocks = Math.ceil(size.logs / LOGS_A_BLOCK);
  let after: IndexedBlock | null = null;
  for (let from = 1; from <= blocks; from += BLOCKS_A_BATCH) {
    const to = Math.min(blocks, from + BLOCKS_A_BATCH - 1);
    const logs: IndexedLog[] = [];
    for (let number = from; number <= to; number++) {
      for (let logIndex = 0; logIndex < LOGS_A_BLOCK; logIndex++) logs.push(logAt(number, logIndex, size));
    }
    const checkpoint = blockAt(to);
    const terms = logs.flatMap(({ event, blockNumber }) =>
      event.event === "SubLog" && event.code === 0
        ? [{ id: event.id, createdBlock: blockNumber, frequency: Number(BigInt(event.id) % 4n), dueDay: 1 }]
        : [],
    );
    await storeLogs(database, scope, {
      after,
      checkpoint,
      blocks: [checkpoint],
      logs,
      terms,
      tokens: [{ token: numberToHex(7, { size: 20 }), symbol: "USDC", decimals: 6 }],
      headNumber: to,
      blocksPerSecond: null,
      confirmedAt: new Date(0),
    });
    after = checkpoint;
  }
  await database.sql`vacuum sub_logs, subscriptions, memberships, details_logs`;
  await analyzeIndex(database);
}

export function syntheticId(subscription: number) {
  // Ids on a chain are hashes, so they are not ordered.
  return numberToHex((BigInt(subscription + 1) * 0x9e3779b97f4a7c15n) % 2n ** 64n, { size: 32 });
}

export function syntheticAccount(kind: "provider" | "subscriber", index: number) {
  return numberToHex(
    (BigInt(index + 1) * (kind === "provider" ? 0xbf58476d1ce4e5b9n : 0x94d049bb133111ebn)) % 2n ** 64n,
    {
      size: 20,
    },
  );
}

function blockAt(number: number): IndexedBlock {
  return { number, hash: numberToHex(number, { size: 32 }), timestamp: 1_700_000_000 + number };
}

function logAt(number: number, logIndex: number, size: SyntheticSize): IndexedLog {
  const index = (number - 1) * LOGS_A_BLOCK + logIndex;
  const every = Math.max(1, Math.floor(size.logs / size.subscriptions));
  const isNew = index % every === 0;
  // A few subscriptions have far more events than others, as on a chain.
  const newest = Math.floor(index / every);
  const subscription = isNew ? newest : index % 3 === 0 ? 0 : (index * 7_919) % (newest + 1);
  const place = blockAt(number);
  return {
    blockNumber: number,
    logIndex,
    blockHash: place.hash,
    transactionHash: numberToHex(index, { size: 32 }),
    data: "0x",
    event: {
      event: "SubLog",
      id: syntheticId(subscription),
      provider: syntheticAccount("provider", subscription % size.providers),
      subscriber: isNew
        ? numberToHex(0, { size: 20 })
        : syntheticAccount("subscriber", (index * 31) % size.subscribers),
      token: numberToHex(7, { size: 20 }),
      timestamp: place.timestamp,
      amount: BigInt(index) * 10n ** 12n,
      code: isNew ? 0 : (LATER_CODES[index % LATER_CODES.length] ?? 6),
    },
  };
}
