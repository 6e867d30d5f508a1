/** Decimals of every amount inside the protocol, whatever the token has (protocol part 1, Units). */
export const PROTOCOL_DECIMALS = 18;

/** Protocol amount (18 decimals) in the token's own units: rounded down, as the contract does before it moves tokens. */
export function toTokenUnits(amount: bigint, decimals: number): bigint {
  if (decimals <= PROTOCOL_DECIMALS) return amount / 10n ** BigInt(PROTOCOL_DECIMALS - decimals);
  return amount * 10n ** BigInt(decimals - PROTOCOL_DECIMALS);
}

/** Token units as a protocol amount (18 decimals). Exact up to 18 decimals; what is finer than that is cut off. */
export function toProtocolAmount(units: bigint, decimals: number): bigint {
  if (decimals <= PROTOCOL_DECIMALS) return units * 10n ** BigInt(PROTOCOL_DECIMALS - decimals);
  return units / 10n ** BigInt(decimals - PROTOCOL_DECIMALS);
}
