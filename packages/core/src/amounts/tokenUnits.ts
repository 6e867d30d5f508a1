/** Decimals of every amount inside the protocol, whatever the token has (protocol part 1, Units). */
export const PROTOCOL_DECIMALS = 18;

/** 10^0 to 10^255, computed once: a large plan converts hundreds of thousands of amounts, and a power costs more than a division. */
const POWERS_OF_TEN = Array.from({ length: 256 }, (_, exponent) => 10n ** BigInt(exponent));

function powerOfTen(exponent: number): bigint {
  return POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);
}

/** Protocol amount (18 decimals) in the token's own units: rounded down, as the contract does before it moves tokens. */
export function toTokenUnits(amount: bigint, decimals: number): bigint {
  if (decimals <= PROTOCOL_DECIMALS) return amount / powerOfTen(PROTOCOL_DECIMALS - decimals);
  return amount * powerOfTen(decimals - PROTOCOL_DECIMALS);
}

export const MAX_UINT256 = 2n ** 256n - 1n;

/** Whether the contract can convert an amount (18 decimals): in a token of dozens of decimals its uint256 arithmetic overflows and reverts. */
export function fitsTokenUnits(amount: bigint, decimals: number): boolean {
  if (decimals <= PROTOCOL_DECIMALS) return true;
  return powerOfTen(decimals - PROTOCOL_DECIMALS) <= MAX_UINT256 && toTokenUnits(amount, decimals) <= MAX_UINT256;
}
