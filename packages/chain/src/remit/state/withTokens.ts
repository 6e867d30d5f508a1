import { ChangedMap } from "@dueday/core/remit/changedMap";
import type { RemitToken } from "@dueday/core/remit/state";
import type { Address } from "viem";

type Tokens = ReadonlyMap<Address, RemitToken>;

/** The tokens of one block with what further accounts hold of them, and further tokens. */
export function withTokens(before: Tokens, further: Tokens): Tokens {
  const tokens = new Map(before);
  for (const [address, token] of further) {
    const known = before.get(address);
    const holdings = known && new ChangedMap(known.holdings, token.holdings);
    tokens.set(address, holdings === undefined ? token : { ...token, holdings });
  }
  return tokens;
}
