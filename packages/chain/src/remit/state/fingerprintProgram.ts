import { concatHex, type Hex } from "viem";
import { IS_ANSWER, MULTIPLY } from "./holdingsProgram";

/** Jump destinations, by the lengths of the parts before them. */
const LOOP = "0x1e";
const END = "0x74";

/**
 * An EVM program for one eth_call. Its input is words: the spender, then pairs of a token and an account; its output is the hash
 * of all words that balanceOf(account) and allowance(account, spender) return, zero where a call reverts or returns less than a word.
 *
 * Memory: 0x00 the call of balanceOf (36 bytes), 0x24 that of allowance (68 bytes), from 0x80 on the words, as in `READ_HOLDINGS` of
 * holdingsProgram.ts. A pair at offset i of the input has its two words at i + 0x60.
 */
export const FINGERPRINT_PROGRAM: Hex = concatHex([
  "0x6370a0823160e01b600052", // PUSH4 balanceOf, shifted left to the head of a word; MSTORE at 0x00
  "0x63dd62ed3e60e01b602452", // PUSH4 allowance, likewise; MSTORE at 0x24
  "0x600035604852", // the spender is allowance's second argument: CALLDATALOAD 0; MSTORE at 0x48
  "0x6020", // i = 0x20: the first pair
  "0x5b", // JUMPDEST loop
  "0x80361115", // i < CALLDATASIZE, negated
  concatHex(["0x60", END, "0x57"]), // JUMPI end
  "0x806020013580600452602852", // CALLDATALOAD i + 0x20; MSTORE at 0x04 and at 0x28: the account
  "0x6020816060016024600084355afa", // output 0x20 bytes at i + 0x60, input 0x24 bytes at 0x00; token; STATICCALL
  concatHex([IS_ANSWER, "0x81606001", MULTIPLY]), // the word at i + 0x60
  "0x6020816080016044602484355afa", // output 0x20 bytes at i + 0x80, input 0x44 bytes at 0x24; token; STATICCALL
  concatHex([IS_ANSWER, "0x81608001", MULTIPLY]), // the word at i + 0x80
  "0x604001", // i += 0x40
  concatHex(["0x60", LOOP, "0x56"]), // JUMP loop
  "0x5b", // JUMPDEST end
  "0x6020900360802060005260206000f3", // SHA3 of i - 0x20 bytes from 0x80; MSTORE at 0x00; RETURN it
]);
