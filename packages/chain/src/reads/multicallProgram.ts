import { concatHex, type Hex } from "viem";

/** Jump destinations, by the lengths of the parts before them. */
const LOOP = "0x15";
const END = "0x82";

/**
 * An EVM program with the interface of Multicall3's aggregate3, for one eth_call on a chain that has no Multicall3: it makes each call and
 * returns its success and its data. Every call may fail. It reads tuples whose bytes follow their three words, as encoders write them.
 *
 * Memory is the answer itself. Comments name what the stack holds, its top last: L 32 times the number of calls, e where the next
 * result begins, i 32 times the calls made, t where the call's tuple is.
 */
export const MULTICALL_PROGRAM: Hex = concatHex([
  "0x6020600052", // the answer is one list: MSTORE 0x20 at 0x00
  "0x60243580602052", // its length: CALLDATALOAD 0x24; MSTORE at 0x20
  "0x60051b", // L
  "0x80604001", // L e: results follow the list's offsets
  "0x6000", // L e i
  "0x5b", // JUMPDEST loop
  "0x82811015", // i < L, negated
  concatHex(["0x60", END, "0x57"]), // JUMPI end
  "0x604082038160400152", // the result's offset, e - 0x40: MSTORE at i + 0x40
  "0x8060440135604401", // L e i t: CALLDATALOAD i + 0x44, from 0x44 on
  "0x8060600135", // L e i t n: the length of the call's data
  "0x808260800185606001", // n bytes from t + 0x80 to e + 0x60
  "0x37", // CALLDATACOPY
  "0x60006000", // no output yet
  "0x8286606001", // input n bytes at e + 0x60
  "0x60008635", // value 0, the target
  "0x5af1", // GAS CALL
  "0x84525050", // success: MSTORE at e; L e i
  "0x60408260200152", // where its data is: MSTORE 0x40 at e + 0x20
  "0x3d8260400152", // RETURNDATASIZE: MSTORE at e + 0x40
  "0x3d6000836060013e", // RETURNDATACOPY to e + 0x60
  "0x6000826060013d0152", // zeros after it, where the input may have been
  "0x906060013d601f01601f191601", // e of the next, at a whole word
  "0x90602001", // i += 0x20
  concatHex(["0x60", LOOP, "0x56"]), // JUMP loop
  "0x5b", // JUMPDEST end
  "0x506000f3", // RETURN e bytes from 0x00
]);
