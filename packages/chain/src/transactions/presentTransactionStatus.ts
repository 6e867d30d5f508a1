import type { TransactionStatus } from "@dueday/core/schemas/transactionStatus";
import type { Address, Hash } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectProtocolEvents, presentEvents } from "../events/presentEvents";
import { tokensOfLogs } from "../events/tokensOfLogs";
import { readTokenInfos } from "../reads/readTokenInfos";
import { readTransactionStatus } from "./readTransactionStatus";

export type PresentTransactionStatusParameters = {
  contract: Address;
  hash: Hash;
  /** The newest block: confirmations count up to it. */
  block: ChainBlock;
};

/** Status of a transaction with its events decoded. Throws ServiceError UPSTREAM_* where the node fails. */
export async function presentTransactionStatus(
  client: ChainClient,
  { contract, hash, block }: PresentTransactionStatusParameters,
): Promise<TransactionStatus> {
  const { status, transactionHash, mined, revert } = await readTransactionStatus(client, {
    contract,
    hash,
    head: block,
  });
  const known = { status, confirmed: mined !== undefined, transactionHash };
  if (mined === undefined) return known;
  expectProtocolEvents(mined.logs, contract, "eth_getTransactionReceipt");
  const tokens = await readTokenInfos(client, { contract, tokens: tokensOfLogs(mined.logs, contract), block });
  return {
    ...known,
    blockNumber: mined.blockNumber.toString(),
    minBlock: mined.blockNumber.toString(),
    confirmations: mined.confirmations,
    confirmedSeconds: mined.confirmedSeconds,
    gasUsed: mined.gasUsed.toString(),
    effectiveGasPrice: mined.effectiveGasPrice.toString(),
    events: presentEvents({ logs: mined.logs, contract, tokens }),
    ...(revert === undefined ? {} : { revert }),
  };
}
