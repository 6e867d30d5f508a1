import type { ReceiptFacts } from "@dueday/core/domainEvents/eventBatch";
import { readReceiptRecord } from "@dueday/core/domainEvents/readReceipt";
import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import { copyRows } from "../rows/copyRows";
import type { ContractScope } from "../schema/columns";
import * as tables from "../schema/receipts";
import type { IndexedLog } from "./indexedLog";

/** Tables of what was read from receipts. A rewind deletes their rows; a rebuild of the derived tables reads them. */
export const receiptTables = ["receipts", "keeper_fees", "removal_refunds"] as const;

/** Stores what the receipts of these logs' transactions hold. The caller makes sure that none of these receipts is stored yet. */
export async function writeReceipts(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  logs: readonly Pick<IndexedLog, "blockNumber" | "transactionHash">[],
  receipts: ReadonlyMap<Hex, ReceiptFacts>,
): Promise<void> {
  const blocks = new Map(logs.map(({ transactionHash, blockNumber }) => [transactionHash, blockNumber]));
  const records = [...blocks].flatMap(([hash, blockNumber]) => {
    const receipt = receipts.get(hash);
    if (receipt === undefined) return [];
    const record = readReceiptRecord(receipt, `0x${contract.slice(2).toLowerCase()}`);
    return [{ ...record, block: [chainId, contract, blockNumber] as const, hash }];
  });
  const place = ["chain_id", "contract", "block_number"];
  await copyRows(
    sql,
    tables.receipts,
    [...place, "transaction_hash", "gas_used", "cost_wei"],
    records.map(({ block, hash, gasUsed, costWei }) => [...block, hash, gasUsed, costWei]),
  );
  await copyRows(
    sql,
    tables.keeperFees,
    [...place, "transaction_hash", "token", "units"],
    records.flatMap(({ block, hash, keeperFees }) =>
      keeperFees.map(({ token, units }) => [...block, hash, token, units]),
    ),
  );
  await copyRows(
    sql,
    tables.removalRefunds,
    [...place, "log_index", "units"],
    records.flatMap(({ block, removalRefunds }) =>
      removalRefunds.map(({ logIndex, units }) => [...block, logIndex, units]),
    ),
  );
}
