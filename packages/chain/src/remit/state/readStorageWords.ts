import { type Address, type Hex, numberToHex } from "viem";
import { blockReference } from "../../block/blockReference";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { expectQuantity } from "../../client/expectQuantity";
import { mapCalls } from "../../client/mapCalls";

/** The contract's storage at `slots` after `block`, in their order. Rejects with RpcRefusal or ServiceError. */
export function readStorageWords(
  client: ChainClient,
  { contract, slots, block }: { contract: Address; slots: readonly bigint[]; block: ChainBlock },
): Promise<bigint[]> {
  return mapCalls(slots, async (slot) => {
    const position = numberToHex(slot, { size: 32 });
    const word = await client.rpc("eth_getStorageAt", [contract, position, blockReference(block)]);
    return word === "0x" ? 0n : expectQuantity(word, "eth_getStorageAt");
  });
}

/** The word as an address; null where it holds something else, or nothing. */
export function wordToAddress(word: bigint): Hex | null {
  return word === 0n || word >= 2n ** 160n ? null : numberToHex(word, { size: 20 });
}
