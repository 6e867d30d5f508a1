/** Longest text from the chain that is shown, in UTF-8 bytes. */
export const TEXT_LIMIT_BYTES = 4096;

export type CleanText = { text: string; truncated: boolean };

/**
 * Controls and line breaks, which forge lines in logs and terminals; format characters, which hide or reverse text; lone
 * surrogates; tags and the further variation selectors, in which text can be hidden from people and read by an agent.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{e0000}-\u{e0fff}]/gu;

/**
 * Untrusted text (details, profiles, token symbols, revert reasons) in the form in which answers contain it: unsafe characters become
 * U+FFFD, and text beyond `limitBytes` of UTF-8 is cut at a character.
 */
export function cleanText(text: string, limitBytes: number = TEXT_LIMIT_BYTES): CleanText {
  // A character is at least one byte, so everything beyond the limit in code units is cut anyway.
  const clean = text.slice(0, limitBytes + 1).replace(UNSAFE, "\ufffd");
  const kept = cutToBytes(clean, limitBytes);
  return { text: kept, truncated: kept.length < clean.length || text.length > limitBytes + 1 };
}

/** The cleaned texts under their names, and whether one of them was cut. */
export function cleanTexts<K extends string>(texts: Record<K, string>): Record<K, string> & { truncated: boolean } {
  const clean = Object.entries<string>(texts).map(([name, text]) => [name, cleanText(text)] as const);
  const kept = Object.fromEntries(clean.map(([name, { text }]) => [name, text]));
  // The keys are those of `texts`, one for one.
  return { ...(kept as Record<K, string>), truncated: clean.some(([, { truncated }]) => truncated) };
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
