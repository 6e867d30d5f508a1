import classes from "./UntrustedText.module.css";

/** Characters shown of a text that anybody may have written. */
const SHOWN_CHARACTERS = 280;
/** Control characters, and characters that reorder or hide text: a symbol must not look like another one. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\u{e0000}-\u{e0fff}]+/gu;

export type UntrustedTextProps = {
  text: string;
  /** Characters shown. Default: 280. */
  most?: number;
  /** Shown in place of an empty text. Default: nothing. */
  empty?: string;
};

/**
 * Text from the chain: shown as text alone, without invisible characters, cut to a length, and isolated from the direction of the text around it.
 * Its title explains where it comes from. It is never a link.
 */
export function UntrustedText({ text, most = SHOWN_CHARACTERS, empty }: UntrustedTextProps) {
  const clean = cleanText(text);
  if (clean === "") return empty === undefined ? null : <span className={classes.empty}>{empty}</span>;
  const characters = [...clean];
  const shown = characters.length > most ? `${characters.slice(0, most).join("").trimEnd()}…` : clean;
  return (
    <bdi className={classes.text} title="Written by an account on the chain, not by this service">
      {shown}
    </bdi>
  );
}

/** One line without invisible characters. @param most characters of it, as a reader counts them. Default: all */
export function cleanText(text: string, most?: number): string {
  const clean = text.replace(INVISIBLE, " ").replace(/\s+/g, " ").trim();
  return most === undefined ? clean : [...clean].slice(0, most).join("");
}

/** Characters shown of a token's symbol. */
export const SYMBOL_CHARACTERS = 12;

/** The symbol of a token, which is text by a stranger too. */
export function cleanSymbol(symbol: string): string {
  return cleanText(symbol, SYMBOL_CHARACTERS);
}
