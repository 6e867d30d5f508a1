import { expect, test } from "bun:test";
import { testDepth } from "@dueday/test-support/testDepth";
import fc from "fast-check";
import { createKeyText, hashKeyText } from "./keyText";

const base62 = fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

test("a key has the documented form, is found by its hash, and is unique", () => {
  const keys = Array.from({ length: 500 }, createKeyText);
  for (const { text, prefix, hash } of keys) {
    expect(text).toMatch(/^dueday_[0-9A-Za-z]{46}$/);
    expect(text.startsWith(prefix)).toBe(true);
    expect(prefix).toHaveLength(12);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hashKeyText(text)).toBe(hash);
  }
  expect(new Set(keys.map(({ text }) => text)).size).toBe(500);
});

test("the checksum detects every wrong character and every two neighbours swapped", () => {
  fc.assert(
    fc.property(fc.integer({ min: 7, max: 51 }), base62, (at, character) => {
      const { text } = createKeyText();
      const wrong = text.slice(0, at) + character + text.slice(at + 1);
      const swapped = text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
      for (const typed of [wrong, swapped]) if (typed !== text) expect(hashKeyText(typed)).toBeNull();
    }),
    { numRuns: 1_000 * testDepth },
  );
});

test("text that is too long, too short or of another form is not a key", () => {
  const { text } = createKeyText();
  for (const typed of ["", text.slice(1), text.slice(0, -1), `${text}0`, ` ${text}`, text.replace("dueday", "DUEDAY")])
    expect(hashKeyText(typed)).toBeNull();
});
