/** Longest text from the chain that is shown, in UTF-8 bytes (shapes, Conventions). */
export const TEXT_LIMIT_BYTES = 4096;

export type CleanText = { text: string; truncated: boolean };

// Line breaks count as controls: they could forge lines in logs and terminals.
const UNSAFE = /\p{Cc}|\p{Bidi_Control}|\p{Cs}/gu;

/**
 * Untrusted text (details, profiles, token symbols, revert reasons) in the form in which answers contain it: controls become
 * U+FFFD, and text beyond `limitBytes` of UTF-8 is cut at a character.
 */
export function cleanText(text: string, limitBytes: number = TEXT_LIMIT_BYTES): CleanText {
  // A character is at least one byte, so everything beyond the limit in code units is cut anyway.
  const clean = text.slice(0, limitBytes + 1).replace(UNSAFE, "\ufffd");
  const kept = cutToBytes(clean, limitBytes);
  return { text: kept, truncated: kept.length < clean.length || text.length > limitBytes + 1 };
}

function cutToBytes(text: string, limitBytes: number): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes > limitBytes) return text.slice(0, length);
    length += character.length;
  }
  return text;
}
