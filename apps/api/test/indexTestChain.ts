import { parseBlock } from "@dueday/chain/block/parseBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { readSubscriptions } from "@dueday/chain/reads/readSubscriptions";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { readReceiptFacts } from "@dueday/chain/transactions/readReceiptFacts";
import type { ReceiptFacts } from "@dueday/core/domainEvents/eventBatch";
import { receiptsNeeded } from "@dueday/core/domainEvents/readReceipt";
import { decodeProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { Database } from "@dueday/db/connectDatabase";
import type { IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { storeLogs } from "@dueday/db/indexing/storeLogs";
import { type Address, getAddress, type Hex } from "viem";
import { TEST_CHAIN_ID } from "./startTestApi";

export type IndexedChain = { database: Database; client: ChainClient; contract: Address };

/** Indexes everything up to the head in one step, with its events, as a worker that has just caught up would have. */
export async function indexTestChain({ database, client, contract }: IndexedChain): Promise<void> {
  const head = parseBlock(await client.rpc("eth_getBlockByNumber", ["latest", false]));
  const number = Number(head.number);
  const onChain = await client.getLogs({ address: contract, fromBlock: 0n, toBlock: head.number });
  const logs = onChain.flatMap((log): IndexedLog[] => {
    const event = decodeProtocolEvent(log);
    if (event === null) return [];
    const { logIndex, blockHash, transactionHash, data } = log;
    return [{ blockNumber: Number(log.blockNumber), logIndex, blockHash, transactionHash, data, event }];
  });
  const created = logs.flatMap(({ event, blockNumber }) =>
    event.event === "SubLog" && event.code === 0 ? [{ id: event.id, blockNumber }] : [],
  );
  const records = await readSubscriptions(client, { contract, ids: created.map(({ id }) => id), block: head });
  const terms = created.map(({ id, blockNumber }) => {
    const record = records.get(id);
    if (record === undefined) throw new Error(`${id} was created and is not known`);
    return { id, createdBlock: blockNumber, frequency: record.frequency, dueDay: record.dueDay };
  });
  const found = new Set(logs.flatMap(({ event }) => (event.event === "SubLog" ? [event.token] : [])));
  const infos = await readTokenInfos(client, {
    contract,
    tokens: [...found].map((token) => getAddress(token)),
    block: head,
  });
  const tokens = [...infos.values()].map(({ address, symbol, decimals }) => ({
    token: toLowerCase(address),
    symbol,
    decimals,
  }));
  const checkpoint = { number, hash: head.hash, timestamp: Number(head.timestamp) };
  const receipts = new Map<Hex, ReceiptFacts>();
  for (const needed of receiptsNeeded(logs)) {
    receipts.set(needed.transactionHash, await readReceiptFacts(client.rpc, needed));
  }
  const finality = { safeNumber: number, finalNumber: number, by: "tag" } as const;
  const stored = await storeLogs(
    database,
    { chainId: TEST_CHAIN_ID, contract },
    {
      after: null,
      checkpoint,
      blocks: [checkpoint],
      logs,
      terms,
      tokens,
      headNumber: number,
      blocksPerSecond: null,
      confirmedAt: new Date(),
      finality: { ...finality, finalHash: head.hash, readAt: new Date() },
      events: { receipts, since: 0, finality, now: new Date() },
    },
  );
  if (!stored) throw new Error("this contract was indexed before");
}
