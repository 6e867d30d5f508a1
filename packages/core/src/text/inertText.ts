import { firstLine } from "./firstLine";

/**
 * Text that a stranger wrote, for a mail: one line of at most 60 characters in which programs find no address to turn
 * into a link. Dots before letters, colons before any text, `@` and `/` are replaced by characters that look like them;
 * an amount such as 12.50 keeps its dot.
 */
export function inertText(text: string): string {
  return firstLine(text)
    .replace(/\.(?=[^\s\d])/g, "\u2024")
    .replaceAll("@", "\uff20")
    .replaceAll("/", "\u2215")
    .replace(/:(?=\S)/g, "\ua789");
}
