import { expect, test } from "bun:test";
import { caip2, parseChainId } from "./chains";

test("a chain id is read in decimal and CAIP-2 form, and in no other", () => {
  expect(parseChainId("8453")).toBe(8453);
  expect(parseChainId(caip2(8453))).toBe(8453);
  for (const text of [
    "",
    "0",
    "08453",
    "+8453",
    "-1",
    "0x2105",
    "EIP155:8453",
    "eip155:",
    "8453 ",
    "1e3",
    "9007199254740993",
  ]) {
    expect(parseChainId(text)).toBeNull();
  }
});
