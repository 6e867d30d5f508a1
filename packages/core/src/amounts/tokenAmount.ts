import type { Address } from "viem";
import type { TokenAmount } from "../schema";
import { formatUnits } from "./decimalText";

/** The facts of a token that are needed to format an amount of it. */
export type TokenInfo = { address: Address; symbol: string; decimals: number };

/** The three fields of every amount of tokens in answers and events. */
export function amountFields(units: bigint, decimals: number) {
  return { amount: formatUnits(units, decimals), amountRaw: units.toString(), tokenDecimals: decimals };
}

/** An amount of `token`, given in token units, with the token's address and symbol. */
export function tokenAmount(token: TokenInfo, units: bigint): TokenAmount {
  return { token: token.address, symbol: token.symbol, ...amountFields(units, token.decimals) };
}

/** A token in a message, with its address, because a token can have any symbol. */
export function tokenName({ symbol, address }: TokenInfo): string {
  return `${symbol} (${address})`;
}
