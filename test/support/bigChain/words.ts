const WORD = 64;

/** A number as a word of an ABI, without 0x. */
export function word(value: number | bigint): string {
  return value.toString(16).padStart(WORD, "0");
}

/** An address or an id as a word. */
export function padded(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(WORD, "0");
}

/** Encoded text: its length and its bytes, to the end of a word. */
export function textWords(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const digits = bytes.toHex();
  return word(bytes.length) + digits.padEnd(Math.ceil(digits.length / WORD) * WORD, "0");
}

/** The n-th word of call data after its selector, or after 0x where `start` is 2. */
export function wordIn(data: string, index: number, start = 10): string {
  return data.slice(start + index * WORD, start + (index + 1) * WORD);
}

/** The address in the n-th word after the selector. */
export function addressIn(data: string, index: number, start = 10): string {
  return `0x${wordIn(data, index, start).slice(24)}`;
}
