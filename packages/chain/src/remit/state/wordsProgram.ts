import type { Hex } from "viem";
import { concatHex } from "viem";

/** Jump destinations, by the lengths of the parts before them. */
const LOOP = "0x08";
const END = "0x21";

/**
 * An EVM program that takes the place of a contract for one eth_call, over the contract's own storage. Its input is two words: a slot and a
 * count; its output is the words in that number of slots, from the given one on.
 *
 * Comments name what the stack holds, its top last: L 32 times the count, i 32 times the words read.
 */
export const WORDS_PROGRAM: Hex = concatHex([
  "0x60203560051b6000", // CALLDATALOAD 0x20, shifted left: L i
  "0x5b", // JUMPDEST loop
  "0x81811015", // i < L, negated
  concatHex(["0x60", END, "0x57"]), // JUMPI end
  "0x8060051c60003501", // the slot: i / 32 + CALLDATALOAD 0
  "0x548152", // SLOAD; MSTORE at i
  "0x602001", // i += 0x20
  concatHex(["0x60", LOOP, "0x56"]), // JUMP loop
  "0x5b", // JUMPDEST end
  "0x6000f3", // RETURN i bytes from 0x00
]);
