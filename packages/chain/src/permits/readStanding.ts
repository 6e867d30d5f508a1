import { erc20Abi } from "@dueday/core/abi/erc20";
import { permitViewsAbi } from "@dueday/core/abi/permit";
import type { KeptPermit } from "@dueday/core/permit/permit";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { contractRead } from "../reads/contractRead";
import { readTable } from "../reads/readTable";

type Standing<P> = {
  permit: P;
  /** Not expired, and nonce and allowance are those of its signing. */
  counts: boolean;
  /** The chain shows that it does not count any more; before its deadline, false where the token does not answer. */
  isOver: boolean;
};

/** Whether each kept permit still counts at a block. One round trip. Throws ServiceError UPSTREAM_* where the node fails. */
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
    const isKnown = nonce.ok && allowance.ok;
    const isSame = isKnown && nonce.value === permit.nonce && allowance.value === permit.allowance;
    const isExpired = permit.deadline <= block.timestamp;
    return { permit, counts: isSame && !isExpired, isOver: isExpired || (isKnown && !isSame) };
  });
}
