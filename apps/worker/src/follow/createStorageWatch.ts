import type { Header } from "@dueday/chain/block/parseHeader";
import type { Rpc } from "@dueday/chain/client/createChainClient";
import { isWord } from "@dueday/chain/client/fitsMethod";
import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import type { Address } from "viem";
import { numberToHex } from "viem";

/** What happened to a contract's storage since the previous check; `unknown`: there was no such check, or the node does not prove storage. */
export type StorageVerdict = "same" | "changed" | "unknown";

/**
 * Compares the root of a contract's storage from check to check, at the price of a header. Payments and subscriptions change it; texts that
 * exist only as events do not, nor do changes that were undone in between.
 */
export type StorageWatch = {
  check(head: Header): Promise<StorageVerdict>;
  /** Forgets the previous check: the blocks that it covered were not read, or were replaced. */
  forget(): void;
};

export function createStorageWatch(rpc: Rpc, contract: Address): StorageWatch {
  let before: string | null = null;
  let isRefused = false;

  return {
    async check(head) {
      if (isRefused) return "unknown";
      try {
        const answer = await rpc("eth_getProof", [contract, [], numberToHex(head.number)]);
        const storageHash = isRecord(answer) ? answer.storageHash : undefined;
        if (!isWord(storageHash)) throw upstreamError({ kind: "malformed" }, "eth_getProof");
        const last = before;
        before = storageHash;
        if (last === null) return "unknown";
        return last === storageHash ? "same" : "changed";
      } catch (error) {
        if (!(error instanceof RpcRefusal)) throw error;
        isRefused = true;
        return "unknown";
      }
    },
    forget() {
      before = null;
    },
  };
}
