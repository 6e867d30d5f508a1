import { type Static, Type } from "@sinclair/typebox";
import { Address, DecimalString, IntegerString, UntrustedText } from "../schema";

/** One token with the protocol's record of it. */
export const ApprovedToken = Type.Object({
  address: Address,
  symbol: UntrustedText,
  name: UntrustedText,
  decimals: Type.Integer({ minimum: 0, maximum: 255 }),
  minimum: DecimalString,
  minimumRaw: IntegerString,
  paused: Type.Boolean(),
  approved: Type.Boolean(),
});
export type ApprovedToken = Static<typeof ApprovedToken>;

/** Snapshot `tokens`: every token known to be or to have been approved. */
export const ApprovedTokens = Type.Object({ tokens: Type.Array(ApprovedToken) });
export type ApprovedTokens = Static<typeof ApprovedTokens>;
