import { erc20Abi } from "@dueday/core/abi/erc20";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { contractRead } from "../reads/contractRead";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { type ReadResult, readMany } from "../reads/readMany";

export type MeansParameters = { contract: Address; token: Address; account: Address; block: Pick<ChainBlock, "hash"> };

/**
 * What an account can pay with, how far days are closed, and whether the protocol has paused the token. Amounts are token units; 0 where
 * the token does not answer.
 */
export type Means = { nextUncheckedDay: number; isPaused: boolean; allowance: bigint; balance: bigint };

/** One round trip. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readMeans(
  client: ChainClient,
  { contract, token, account, block }: MeansParameters,
): Promise<Means> {
  const [nextDay, approval, allowance, balance] = await readMany(
    client,
    [
      protocolRead(contract, "nextUncheckedDay", []),
      protocolRead(contract, "approvedERC20", [token]),
      contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [account, contract] }),
      contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] }),
    ],
    block,
  );
  return {
    nextUncheckedDay: expectValue(nextDay, "nextUncheckedDay"),
    isPaused: expectValue(approval, "approvedERC20")[2],
    allowance: valueOrNone(allowance),
    balance: valueOrNone(balance),
  };
}

function valueOrNone(result: ReadResult<bigint>): bigint {
  return result.ok ? result.value : 0n;
}
