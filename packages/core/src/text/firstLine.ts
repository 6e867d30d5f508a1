import { cleanText } from "./cleanText";

const MOST_CHARACTERS = 60;

/**
 * A name that a stranger wrote: the first line with text, cleaned, at most 60 characters. Stored texts have U+FFFD in
 * place of a line break, so this character ends a line too. Empty where there is no text.
 */
export function firstLine(text: string): string {
  for (const line of cleanText(text).text.split("\ufffd")) {
    const name = line.trim().replace(/\s+/g, " ");
    if (name !== "") return [...name].slice(0, MOST_CHARACTERS).join("").trim();
  }
  return "";
}
