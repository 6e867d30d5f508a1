import { cleanText } from "@dueday/core/text/cleanText";

/** Characters that move the cursor, switch colours, or hide or reverse text. A line break of the file or the JSON itself stays. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One line of text that can't act on the terminal: unsafe characters become U+FFFD. */
export function terminalText(text: string): string {
  return cleanText(text).text;
}

/** JSON with the same value, in which unsafe characters are written as escapes. */
export function terminalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (character) =>
    character === "\n" ? character : character.split("").map(escaped).join(""),
  );
}

/** A CSV file, unchanged but for unsafe characters, which a service leaves out of its answers already. */
export function terminalCsv(text: string): string {
  return text.replace(UNSAFE, (character) => (character === "\r" || character === "\n" ? character : "\ufffd"));
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
