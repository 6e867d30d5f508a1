import type { Hex } from "viem";

/** A log does not have the layout of its event. `orNull` catches it. */
export class LayoutError extends Error {
  override readonly name = "LayoutError";
}

/** The result of `decode`, or null where the log does not have the layout that it reads. */
export function orNull<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch (error) {
    // fromHex throws a SyntaxError for characters that are not hexadecimal.
    if (error instanceof LayoutError || error instanceof SyntaxError) return null;
    throw error;
  }
}

const WORD_CHARACTERS = 64;
const PREFIXED = /^0x[0-9a-f]*$/;
const ADDRESS_PADDING = "0".repeat(24);
const UINT40_PADDING = "0".repeat(54);

/** The n-th topic, without its 0x. */
export function topicAt(topics: readonly Hex[], index: number): string {
  return bytes32At(topics, index).slice(2);
}

/** The n-th topic, a bytes32. */
export function bytes32At(topics: readonly Hex[], index: number): Hex {
  const topic = topics[index];
  if (topic?.length !== WORD_CHARACTERS + 2) throw new LayoutError(`topic ${index} is missing or cut`);
  return checkHex(topic);
}

/** Returns the hex in lower case, or throws LayoutError for other characters. Words of a log's data are read only from its result. */
export function checkHex(hex: Hex): Hex {
  const lower = hex.toLowerCase();
  if (!isPrefixed(lower)) throw new LayoutError("a log has characters that are not hexadecimal");
  return lower;
}

function isPrefixed(text: string): text is Hex {
  return PREFIXED.test(text);
}

/** The n-th 32-byte word of checked data, without 0x. */
export function wordAt(data: Hex, index: number): string {
  return wordFrom(data, 2 + index * WORD_CHARACTERS);
}

function wordFrom(data: Hex, start: number): string {
  const word = data.slice(start, start + WORD_CHARACTERS);
  if (word.length !== WORD_CHARACTERS) throw new LayoutError("a word is missing or cut");
  return word;
}

export function toAddress(word: string): Hex {
  if (!word.startsWith(ADDRESS_PADDING)) throw new LayoutError("an address has 20 bytes");
  return `0x${word.slice(ADDRESS_PADDING.length)}`;
}

export function toUint40(word: string): number {
  if (!word.startsWith(UINT40_PADDING)) throw new LayoutError("a uint40 has 5 bytes");
  return Number(`0x${word.slice(UINT40_PADDING.length)}`);
}

export function toBoolean(word: string): boolean {
  const value = toUint40(word);
  if (value > 1) throw new LayoutError("a bool is 0 or 1");
  return value === 1;
}

export function toUint256(word: string): bigint {
  return BigInt(`0x${word}`);
}

/**
 * The text whose offset is in the n-th word of checked data. Bytes that are not valid UTF-8 become U+FFFD.
 *
 * Offsets and lengths are checked against the data before anything is copied: anybody can emit an event with numbers up to 2^256.
 */
export function textAt(data: Hex, index: number): string {
  if (data.length % 2 !== 0) throw new LayoutError("the data ends within a byte");
  const byteLength = (data.length - 2) / 2;
  const offset = toBounded(wordAt(data, index), byteLength);
  const length = toBounded(wordFrom(data, 2 + offset * 2), byteLength);
  const start = 2 + (offset + 32) * 2;
  const hex = data.slice(start, start + length * 2);
  if (hex.length !== length * 2) throw new LayoutError("a text ends beyond the data");
  return new TextDecoder().decode(Uint8Array.fromHex(hex));
}

function toBounded(word: string, byteLength: number): number {
  const value = toUint256(word);
  if (value > BigInt(byteLength)) throw new LayoutError("an offset or a length is beyond the data");
  return Number(value);
}
