import { panics } from "./protocolReverts";
import type { Revert } from "./revert";

/** A Solidity panic by its number, e.g. 17 (0x11) for arithmetic out of range. */
export function panicRevert(number: bigint): Revert {
  const code = `Panic(${number})`;
  const text = number.toString();
  if (isKnown(text)) return { code, ...panics[text] };
  return { code, name: "PANIC", message: "The contract failed with an internal error." };
}

function isKnown(number: string): number is keyof typeof panics {
  return Object.hasOwn(panics, number);
}
