/**
 * The text that the owner of a kept permit signs to withdraw it (ERC-191). The signature can't be used for anything
 * else, so the text needs no expiry.
 */
export function withdrawalMessage({ permitId, chainId }: { permitId: string; chainId: number }): string {
  return `Withdraw the permit ${permitId} on chain ${chainId}. Keepers can no longer get it here; who has seen it can still submit it.`;
}
