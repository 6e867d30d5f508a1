import { expect, test } from "bun:test";
import { cleanText } from "./UntrustedText";

test("a text is cut between characters, never inside of one", () => {
  expect(cleanText("🐚🐚🐚", 2)).toBe("🐚🐚");
});

test.each([
  ["a\u202Egpj.exe", "a gpj.exe"],
  ["zero\u200Bwidth\uFEFF", "zero width"],
  ["two\nlines\t and\u0000more", "two lines and more"],
  ["  <b>HUSD</b> ", "<b>HUSD</b>"],
  ["\u{E0041}\u{E0042}", ""],
  ["lone\uD800surrogate", "lone surrogate"],
  ["variation\u{E0100}selector", "variation selector"],
])("invisible characters of %j are gone", (text, clean) => {
  expect(cleanText(text)).toBe(clean);
});
