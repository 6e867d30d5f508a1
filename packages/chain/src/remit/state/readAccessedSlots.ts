import { type Address, type Hex, isAddressEqual, isHex } from "viem";
import { blockReference } from "../../block/blockReference";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { isRecord } from "../../client/parseRpcAnswer";
import { RpcRefusal } from "../../client/rpcOutcome";
import { upstreamError } from "../../client/upstreamError";

/** The slots of a contract's own storage that a call accesses, and its gas. */
export type AccessedSlots = { slots: ReadonlySet<bigint>; gasUsed: bigint };

/**
 * Reads which storage slots a call reads or writes (eth_createAccessList). So private variables are found without knowing the
 * contract's layout. Null where the call reverts or the node has no such method.
 */
export async function readAccessedSlots(
  client: ChainClient,
  { contract, data, from, block }: { contract: Address; data: Hex; from?: Address; block: ChainBlock },
): Promise<AccessedSlots | null> {
  const call = { to: contract, data, ...(from && { from }) };
  let answer: unknown;
  try {
    answer = await client.rpc("eth_createAccessList", [call, blockReference(block)]);
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    throw error;
  }
  if (!isRecord(answer) || !Array.isArray(answer.accessList) || !isHex(answer.gasUsed)) {
    throw upstreamError({ kind: "malformed" }, "eth_createAccessList");
  }
  if (answer.error !== undefined) return null;
  const slots = new Set<bigint>();
  for (const entry of answer.accessList) {
    if (!isRecord(entry) || !isHex(entry.address) || !Array.isArray(entry.storageKeys)) continue;
    if (!isAddressEqual(entry.address, contract)) continue;
    for (const key of entry.storageKeys) if (isHex(key)) slots.add(BigInt(key));
  }
  return { slots, gasUsed: BigInt(answer.gasUsed) };
}
