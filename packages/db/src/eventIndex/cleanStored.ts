import { cleanTexts } from "@dueday/core/text/cleanText";

/** Stored texts as they may be shown: the row may be of an earlier release, which replaced fewer characters. */
export function cleanStored<K extends string>(
  texts: Record<K, string>,
  truncated: boolean,
): Record<K, string> & { truncated: boolean } {
  const cleaned = cleanTexts(texts);
  return { ...cleaned, truncated: truncated || cleaned.truncated };
}
