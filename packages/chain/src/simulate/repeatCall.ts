import { type Address, concatHex, type Hex, isHex, numberToHex, pad, size, slice } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import { asServiceError } from "../client/asServiceError";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";

/** Storage set before a call, as eth_call takes it. */
export type StateOverrides = Record<Address, { stateDiff: Record<Hex, Hex> }>;

/** One of the repeated calls. */
export type RepeatedCall = {
  success: boolean;
  /** Of the call itself, before refunds: without what a transaction costs, and without the first access to the contract. */
  gasUsed: bigint;
  /** Gas that the node had left for it: it may be less than its own limit. */
  gasLeft: bigint;
  /** Of a call that failed; "0x" where it succeeded. */
  returnData: Hex;
};

export type RepeatCallParameters = {
  from: Address;
  to: Address;
  data: Hex;
  /** Calls at most; they end with the first that fails. */
  count: number;
  /** Gas limit of each call. */
  gas: bigint;
  block: ChainBlock;
  /** Slots of `to` that count as accessed before, as in a transaction with an access list. */
  warmSlots?: readonly bigint[];
  overrides?: StateOverrides;
};

/** Words before the data of the call: its target, the count and the gas limit. */
const HEAD_WORDS = 3;
const RESULT_BYTES = 96;
/** The program keeps the data below its output. */
const MOST_DATA_BYTES = 1_024;
/** Gas between the program's two readings beside that of the call: its opcodes, and the access to the contract. */
const OPCODES = 29n;
const COLD_ACCOUNT = 2_600n;
const WARM_ACCOUNT = 100n;

/** More than any node gives a call. */
const MOST_GAS = 2n ** 53n;

/** Jump destinations, by the lengths of the parts before them. */
const LOOP = "0x10";
const END = "0x4d";

/**
 * An EVM program that takes the sender's place for the length of one eth_call, so that the contract sees the sender. Input: three words
 * (target, count, gas limit) and the data of the call. Output: for each call three words (success, gas between the two readings,
 * gas left before it), then the return data of one that failed.
 *
 * Stack at the loop: length of the data, end of the output, calls to go. Memory: the data from 0x00 on, the output from 0x400 on.
 */
const REPEAT_PROGRAM: Hex = concatHex([
  "0x60603603", // length: CALLDATASIZE - 0x60
  "0x806060600037", // CALLDATACOPY the data to 0x00
  "0x610400602035", // the output begins at 0x400; CALLDATALOAD the count
  "0x5b8015", // JUMPDEST loop; no call to go?
  concatHex(["0x60", END, "0x57"]), // JUMPI end
  "0x60019003", // one call less to go
  "0x5a", // GAS
  "0x600060008560006000600035604035f1", // CALL: no output, the data as input, no value, the target, the gas limit
  "0x5a82038460200152", // GAS; the difference, MSTORE at the second word
  "0x908360400152", // the first reading, MSTORE at the third word
  "0x808352", // success, MSTORE at the first word
  "0x9160600191", // the output ends three words later
  concatHex(["0x60", LOOP, "0x57"]), // JUMPI loop after a success
  "0x3d6000833e", // RETURNDATACOPY after a failure
  "0x903d0190", // the output ends with it
  "0x5b50", // JUMPDEST end
  "0x6104009003610400f3", // RETURN the output
]);

/**
 * Repeats a call on the state after `block` until it fails, each on the state that the one before leaves, in one eth_call: what
 * nodes without eth_simulateV1 can still show. It returns neither logs nor refunds, and storage that an earlier call has accessed is
 * cheaper for the later ones. Null where the node takes no state overrides, or the data is longer than 1,024 bytes.
 * Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function repeatCall(
  client: ChainClient,
  parameters: RepeatCallParameters,
): Promise<RepeatedCall[] | null> {
  const { from, to, data, count, gas, block, warmSlots, overrides = {} } = parameters;
  if (size(data) > MOST_DATA_BYTES) return null;
  const head = [pad(to), numberToHex(count, { size: 32 }), numberToHex(gas, { size: 32 })];
  const accessList = warmSlots && [
    { address: to, storageKeys: warmSlots.map((slot) => numberToHex(slot, { size: 32 })) },
  ];
  const call = { from, to: from, data: concatHex([...head, data]), ...(accessList && { accessList }) };
  const state = { ...overrides, [from]: { ...overrides[from], code: REPEAT_PROGRAM } };
  try {
    const answer = await client.rpc("eth_call", [call, blockReference(block), state]);
    if (!isHex(answer) || answer === "0x") return null;
    return parseResults(answer, count, OPCODES + (warmSlots ? WARM_ACCOUNT : COLD_ACCOUNT));
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    throw asServiceError(error);
  }
}

/** Null where the answer is not the program's: the node ignores overrides. */
function parseResults(output: Hex, count: number, firstOverhead: bigint): RepeatedCall[] | null {
  const calls: RepeatedCall[] = [];
  for (let start = 0; calls.length < count && start < size(output); start += RESULT_BYTES) {
    if (size(output) < start + RESULT_BYTES) return null;
    const [success, gas, gasLeft] = Array.from({ length: HEAD_WORDS }, (_, word) =>
      BigInt(slice(output, start + 32 * word, start + 32 * word + 32)),
    );
    if (success === undefined || gas === undefined || gasLeft === undefined || success > 1n) return null;
    const gasUsed = gas - (calls.length === 0 ? firstOverhead : OPCODES + WARM_ACCOUNT);
    if (gasUsed < 0n || gasUsed > gasLeft || gasLeft > MOST_GAS) return null;
    const end = start + RESULT_BYTES;
    const returnData = success === 0n && size(output) > end ? slice(output, end) : "0x";
    calls.push({ success: success === 1n, gasUsed, gasLeft, returnData });
    if (success === 0n) break;
  }
  return calls;
}
