import type { Address } from "viem";
import type { TokenAmount } from "../schema";
import { formatUnits } from "./decimalText";

/** What has to be known of a token to write an amount of it. */
export type TokenInfo = { address: Address; symbol: string; decimals: number };

/** The three fields in which every amount of tokens leaves the service. */
export function amountFields(units: bigint, decimals: number) {
  return { amount: formatUnits(units, decimals), amountRaw: units.toString(), tokenDecimals: decimals };
}

/** An amount of `token` in token units, with the token it is of. */
export function tokenAmount(token: TokenInfo, units: bigint): TokenAmount {
  return { token: token.address, symbol: token.symbol, ...amountFields(units, token.decimals) };
}

/** A token in a message: symbols are free to choose, addresses are not. */
export function tokenName({ symbol, address }: TokenInfo): string {
  return `${symbol} (${address})`;
}
