import { cleanTexts } from "@dueday/core/text/cleanText";

/** Cleans stored texts again: the row may be of an earlier release, which replaced fewer characters. */
export function cleanStored<K extends string>(
  texts: Record<K, string>,
  truncated: boolean,
): Record<K, string> & { truncated: boolean } {
  const cleaned = cleanTexts(texts);
  return { ...cleaned, truncated: truncated || cleaned.truncated };
}
