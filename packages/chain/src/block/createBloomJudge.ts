import { type Address, type Hex, keccak256, toBytes } from "viem";
import type { Header } from "./parseHeader";

/**
 * What the bloom of a header shows about the logs of one contract: `absent` is certain, `present` may be a coincidence with a chance of
 * at most 1 %, and `unknown` shows nothing. Blocks with many logs have almost every bit set, and so prove nothing.
 */
export type BloomVerdict = "absent" | "present" | "unknown";

const BITS = 2048;
const BITS_OF_AN_ITEM = 3;
/** A bloom that contains the contract by chance more often than this proves nothing. */
const HIGHEST_CHANCE = 0.01;

/** Returns a function that judges whether a header's block has logs of `address` whose first topic is one of `topics`. */
export function createBloomJudge(address: Address, topics: readonly Hex[]): (header: Header) => BloomVerdict {
  const ofAddress = bitsOf(address);
  const ofTopics = topics.map(bitsOf);
  return ({ logsBloom, isEmpty }) => {
    if (isEmpty) return "absent";
    if (logsBloom === null) return "unknown";
    const bytes = toBytes(logsBloom);
    const share = countBits(bytes) / BITS;
    // Some chains send blooms without any bit, whatever their blocks hold.
    if (share === 0) return "unknown";
    const has = (bits: readonly number[]) => bits.every((bit) => isSet(bytes, bit));
    if (!has(ofAddress) || !ofTopics.some(has)) return "absent";
    const chanceOfItem = share ** BITS_OF_AN_ITEM;
    const chance = chanceOfItem * (1 - (1 - chanceOfItem) ** topics.length);
    return chance <= HIGHEST_CHANCE ? "present" : "unknown";
  };
}

/** The three bits that an item sets: the lowest eleven bits of each of the first three pairs of bytes of its hash. */
function bitsOf(item: Hex): number[] {
  const hash = toBytes(keccak256(item));
  return [0, 2, 4].map((place) => (((hash[place] ?? 0) << 8) | (hash[place + 1] ?? 0)) % BITS);
}

function isSet(bloom: Uint8Array, bit: number): boolean {
  return (((bloom[bloom.length - 1 - (bit >> 3)] ?? 0) >> (bit & 7)) & 1) === 1;
}

function countBits(bytes: Uint8Array): number {
  let count = 0;
  for (let byte of bytes) for (; byte > 0; byte &= byte - 1) count++;
  return count;
}
