import { expect, test } from "bun:test";
import { isSameSecret } from "./isSameSecret";

test("only the same text is the secret, whatever the lengths", () => {
  const given = ["a secret", "a secre", "a secret ", "A secret", ""];
  expect(given.map((text) => isSameSecret(text, "a secret"))).toEqual([true, false, false, false, false]);
});
