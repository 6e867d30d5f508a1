import type { Revert } from "@dueday/core/errors";
import type { RawLog } from "@dueday/core/events/decodeEvent";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

export type TransactionStatus = {
  status: "success" | "reverted" | "pending" | "unknown";
  transactionHash: Hex;
  /** Present once it is in a block. */
  mined?: {
    blockNumber: bigint;
    blockHash: Hex;
    confirmations: number;
    gasUsed: bigint;
    effectiveGasPrice: bigint;
    from: Address;
    to: Address | null;
    logs: RawLog[];
  };
  /** Why it reverted, as far as a repetition at the parent block can tell. */
  revert?: Revert;
};

export async function readTransactionStatus(
  _client: ChainClient,
  _parameters: { hash: Hex; head: ChainBlock },
): Promise<TransactionStatus> {
  throw new Error("not built yet");
}
