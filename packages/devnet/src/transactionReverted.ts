import type { Address, Hex } from "viem";

/** A transaction that was mined and failed. */
export class TransactionReverted extends Error {
  override name = "TransactionReverted";

  constructor(hash: Hex, from: Address) {
    super(`transaction ${hash} from ${from} reverted`);
  }
}
