import { type Static, Type } from "@sinclair/typebox";
import { listOf } from "../paging";
import { Address, DecimalString, TokenDecimals, TokenUnits, UntrustedText } from "../schema";

/** One token with the protocol's record of it. */
export const ApprovedToken = Type.Object({
  address: Address,
  symbol: UntrustedText,
  name: UntrustedText,
  decimals: TokenDecimals,
  minimum: DecimalString,
  minimumRaw: TokenUnits,
  paused: Type.Boolean(),
  approved: Type.Boolean(),
});
export type ApprovedToken = Static<typeof ApprovedToken>;

/** Snapshot `tokens`: every token of the settings, and every one that is known to have been approved. */
export const ApprovedTokens = Type.Object({ tokens: listOf(ApprovedToken) });
export type ApprovedTokens = Static<typeof ApprovedTokens>;
