import { type Address, type Hex, isAddressEqual, recoverAddress } from "viem";

/** Whether a signature of a digest was made by the key of `address`; false for a contract's signature, and for any other bytes. */
export async function isSignedByKey(hash: Hex, address: Address, signature: Hex): Promise<boolean> {
  try {
    return isAddressEqual(address, await recoverAddress({ hash, signature }));
  } catch {
    // Not the form of a key's signature: it may be that of a smart wallet.
    return false;
  }
}
