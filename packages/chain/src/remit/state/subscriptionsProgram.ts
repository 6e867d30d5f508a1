import { concatHex, type Hex } from "viem";

/** Jump destinations, by the lengths of the parts before them. */
const LOOP = "0x25";
const END = "0x70";

/** Words of the answer for each id. */
export const SUBSCRIPTION_WORDS = 11;

/**
 * An EVM program for one eth_call. Its input is words: the contract, then ids; its output, for each id, eleven words: what
 * getUnsubscribedLength returns, the record of idSubMap without its id, and the first four of getSubscribersById, which is all of it where
 * the id has one subscriber. Where a view reverts, its words are zero or begin with the reason.
 *
 * Memory: 0x00 the call of idSubMap, 0x24 that of getUnsubscribedLength, 0x48 that of getSubscribersById (36 bytes each), from 0x80 on the
 * output. Comments name what the stack holds, its top last: o where the output of the id begins, i where the id is in the input.
 */
export const SUBSCRIPTIONS_PROGRAM: Hex = concatHex([
  "0x6300b7097760e01b600052", // PUSH4 idSubMap, shifted left to the head of a word; MSTORE at 0x00
  "0x6336e73d7260e01b602452", // getUnsubscribedLength, likewise; MSTORE at 0x24
  "0x637bbf5a6e60e01b604852", // getSubscribersById, likewise; MSTORE at 0x48
  "0x60806020", // o i
  "0x5b", // JUMPDEST loop
  "0x80361115", // i < CALLDATASIZE, negated
  concatHex(["0x60", END, "0x57"]), // JUMPI end
  "0x80358060045280602852604c52", // CALLDATALOAD i; MSTORE at 0x04, 0x28 and 0x4c: the argument of each
  "0x60e08260246000600035", // output 0xe0 bytes at o, input 0x24 bytes at 0x00, the contract
  "0x5afa50", // GAS STATICCALL; its success flag is dropped
  "0x60208260246024600035", // output 0x20 bytes at o, over the id of the record; input 0x24 bytes at 0x24, the contract
  "0x5afa50", // GAS STATICCALL
  "0x60808260e00160246048600035", // output 0x80 bytes at o + 0xe0, input 0x24 bytes at 0x48, the contract
  "0x5afa50", // GAS STATICCALL
  "0x602001906101600190", // i += 0x20; o += 0x160
  concatHex(["0x60", LOOP, "0x56"]), // JUMP loop
  "0x5b", // JUMPDEST end
  "0x50608090036080f3", // RETURN o - 0x80 bytes from 0x80
]);
