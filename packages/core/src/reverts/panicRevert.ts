import type { Revert } from "../errors";
import { panics } from "./protocolReverts";

/** A Solidity panic by its number, e.g. 17 (0x11) for arithmetic out of range. */
export function panicRevert(code: bigint): Revert {
  const known = panics[code.toString()];
  return {
    code: `Panic(${code})`,
    name: known?.name ?? "PANIC",
    message: known?.message ?? "The contract failed with an internal error.",
  };
}
