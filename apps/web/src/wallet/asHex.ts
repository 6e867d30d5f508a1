import { type Hex, isHex } from "viem";

/** An id or an address of an answer, as the wallet's actions take it. @throws TypeError for what is not hex */
export function asHex(text: string): Hex {
  if (isHex(text)) return text;
  throw new TypeError("expected hex that begins with 0x");
}
