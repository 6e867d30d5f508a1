import { expect, test } from "bun:test";
import fc from "fast-check";
import { cleanText } from "./cleanText";

const bytes = (text: string) => new TextEncoder().encode(text).length;

test("no control, bidirectional or lone-surrogate character survives, and nothing exceeds the limit", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 0, max: 100 }), (text, limit) => {
      const { text: clean, truncated } = cleanText(text, limit);
      expect(/\p{Cc}|\p{Bidi_Control}|\p{Cs}/u.test(clean)).toBe(false);
      expect(bytes(clean)).toBeLessThanOrEqual(limit);
      expect(truncated).toBe([...clean].length < [...text].length);
    }),
  );
});

test("text without controls and within the limit is left as it is", () => {
  expect(cleanText("Größe 🎉 <b>x</b>")).toEqual({ text: "Größe 🎉 <b>x</b>", truncated: false });
});

test("a cut never splits a character", () => {
  expect(cleanText("aé🎉", 6)).toEqual({ text: "aé", truncated: true });
  expect(cleanText("aé🎉", 7)).toEqual({ text: "aé🎉", truncated: false });
});
