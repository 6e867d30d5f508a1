import { type Address, type Hex, isAddressEqual, recoverAddress } from "viem";

/** Whether the key of `address` has made the signature of a digest; false for a contract's, and for what is none. */
export async function isSignedByKey(hash: Hex, address: Address, signature: Hex): Promise<boolean> {
  try {
    return isAddressEqual(address, await recoverAddress({ hash, signature }));
  } catch {
    // Not the form of a key's signature: it may be a wallet's.
    return false;
  }
}
