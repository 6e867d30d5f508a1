import { expect, test } from "bun:test";
import fc from "fast-check";
import { cleanText, cleanTexts } from "./cleanText";

const bytes = (text: string) => new TextEncoder().encode(text).length;

test("no control, format, line-breaking, bidirectional or lone-surrogate character survives, and nothing exceeds the limit", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 0, max: 100 }), (text, limit) => {
      const { text: clean, truncated } = cleanText(text, limit);
      expect(/[\p{Cc}\p{Cf}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u.test(clean)).toBe(false);
      expect(bytes(clean)).toBeLessThanOrEqual(limit);
      expect(truncated).toBe([...clean].length < [...text].length);
    }),
  );
});

test.each([
  ["a zero-width space", "\u200b"],
  ["a soft hyphen", "\u00ad"],
  ["an override of direction", "\u202e"],
  ["an isolate", "\u2066"],
  ["a line separator", "\u2028"],
  ["a paragraph separator", "\u2029"],
  ["a byte order mark", "\ufeff"],
  ["an interlinear annotation", "\ufff9"],
  ["a tag that spells a letter", "\u{e0041}"],
  ["an unassigned tag", "\u{e0002}"],
  ["a variation selector beside the tags", "\u{e0100}"],
])("%s is replaced like a control", (_, character) => {
  expect(cleanText(`US${character}D`).text).toBe("US\ufffdD");
});

test("several texts are cleaned under their names, and one that was cut marks them all", () => {
  const [url, description] = ["a\u200b", "b"];
  expect(cleanTexts({ url, description })).toEqual({ url: "a\ufffd", description, truncated: false });
  expect(cleanTexts({ url: "x".repeat(4097), description }).truncated).toBe(true);
});

test("text without controls and within the limit is left as it is", () => {
  expect(cleanText("Größe 🎉 <b>x</b>")).toEqual({ text: "Größe 🎉 <b>x</b>", truncated: false });
});

test("a cut never splits a character", () => {
  expect(cleanText("aé🎉", 6)).toEqual({ text: "aé", truncated: true });
  expect(cleanText("aé🎉", 7)).toEqual({ text: "aé🎉", truncated: false });
});
