import { erc20Abi } from "@dueday/core/abi/erc20";
import { permitViewsAbi } from "@dueday/core/abi/permit";
import type { KeptPermit } from "@dueday/core/permit/permit";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { contractRead } from "../reads/contractRead";
import { readTable } from "../reads/readTable";

type Standing<P> = { permit: P; counts: boolean };

/**
 * Whether each kept permit still counts at a block: not expired, and nonce and allowance are those of its signing. One round trip. Throws
 * ServiceError UPSTREAM_* where the node fails.
 */
export async function readStanding<P extends KeptPermit>(
  client: ChainClient,
  { contract, permits, block }: { contract: Address; permits: readonly P[]; block: ChainBlock },
): Promise<Standing<P>[]> {
  const rows = await readTable(
    client,
    permits,
    ({ token, owner }) => [
      contractRead({ address: token, abi: permitViewsAbi, functionName: "nonces", args: [owner] }),
      contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [owner, contract] }),
    ],
    block,
  );
  return rows.map(({ key: permit, results: [nonce, allowance] }) => {
    const isUnused = nonce.ok && nonce.value === permit.nonce;
    const isUnchanged = allowance.ok && allowance.value === permit.allowance;
    return { permit, counts: isUnused && isUnchanged && permit.deadline > block.timestamp };
  });
}
