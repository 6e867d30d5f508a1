import { concatHex, type Hex } from "viem";

/** Jump destinations: offsets in the program, so they change with the lengths of the parts before them. */
const LOOP = "0x1e";
const END = "0x75";

/** After a STATICCALL: 1 where it succeeded and returned a word, else 0. A call that reverts also writes what it returns. */
export const IS_ANSWER: Hex = "0x601f3d1116"; // RETURNDATASIZE > 0x1f; AND with the success flag
/** Multiplies the word at the offset on the stack by what is below it, and drops both: a word that is no answer becomes zero. */
export const MULTIPLY: Hex = "0x80518202905250";

/**
 * The part that both programs below begin with. Its input is words: token, spender, then accounts. For each account it
 * writes two words, the results of balanceOf(account) and allowance(account, spender). A word is zero where
 * the call reverts or returns less than a word.
 *
 * Memory: 0x00 the call of balanceOf (36 bytes), 0x24 that of allowance (68 bytes), from 0x80 on the words. An account at
 * offset i of the input has its words at 2 i, so the offset is all that the loop keeps on the stack.
 */
const READ_HOLDINGS: Hex = concatHex([
  "0x6370a0823160e01b600052", // PUSH4 balanceOf, shifted left to the head of a word; MSTORE at 0x00
  "0x63dd62ed3e60e01b602452", // PUSH4 allowance, likewise; MSTORE at 0x24
  "0x602035604852", // the spender is allowance's second argument: CALLDATALOAD 0x20; MSTORE at 0x48
  "0x6040", // i = 0x40: the first account
  "0x5b", // JUMPDEST loop
  "0x80361115", // i < CALLDATASIZE, negated
  concatHex(["0x60", END, "0x57"]), // JUMPI end
  "0x8035806004526028", // CALLDATALOAD i; MSTORE at 0x04: balanceOf's argument; 0x28: allowance's first
  "0x52", // MSTORE
  "0x602081800160246000600035", // output 0x20 bytes at 2 i, input 0x24 bytes at 0x00, the token
  "0x5afa", // GAS STATICCALL
  concatHex([IS_ANSWER, "0x818001", MULTIPLY]), // the word at 2 i
  "0x602081800160200160446024600035", // output 0x20 bytes at 2 i + 0x20, input 0x44 bytes at 0x24, the token
  "0x5afa", // GAS STATICCALL
  concatHex([IS_ANSWER, "0x818001602001", MULTIPLY]), // the word at 2 i + 0x20
  "0x602001", // i += 0x20
  concatHex(["0x60", LOOP, "0x56"]), // JUMP loop
  "0x5b", // JUMPDEST end
]);

/** An EVM program for one eth_call: returns the words of `READ_HOLDINGS`. */
export const HOLDINGS_PROGRAM: Hex = concatHex([
  READ_HOLDINGS,
  "0x6080818001036080f3", // RETURN 2 i - 0x80 bytes from 0x80
]);

/**
 * The same program, but it returns the SHA-256 of the words, which a JavaScript runtime computes fifty times as fast as Keccak. It returns
 * nothing on a chain without the precompiled contract of that hash.
 */
export const HOLDINGS_HASH_PROGRAM: Hex = concatHex([
  READ_HOLDINGS,
  "0x608081800103", // 2 i - 0x80: the length of the words
  "0x6020906000906080", // output 0x20 bytes at 0x00, input these words
  "0x60025afa503d6000f3", // the contract of SHA-256; GAS STATICCALL; its success flag is dropped; RETURN what it returned
]);
