import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import type { Address } from "viem";
import type { TokenInfos } from "./readTokenInfos";

/** The info of a token that was read. Throws Error for one that was not: a bug of this service. */
export function expectToken(tokens: TokenInfos, address: Address): TokenInfo {
  const token = tokens.get(address);
  if (token === undefined) throw new Error(`token ${address} was not read`);
  return token;
}
