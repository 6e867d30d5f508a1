const BYTE_DIGITS = 2;

/** Whether a text is 0x followed by the hex digits of this number of bytes: 20 for an address, 32 for an id. */
export function isHexOf(bytes: 20 | 32, text: string): text is `0x${string}` {
  return text.length === (bytes + 1) * BYTE_DIGITS && /^0x[0-9a-fA-F]+$/.test(text);
}
