import { expect, test } from "bun:test";
import { isHexOf } from "./isHexOf";

test("an address is 0x and 40 hex digits, an id 0x and 64", () => {
  expect([isHexOf(20, `0x${"aB".repeat(20)}`), isHexOf(32, `0x${"0f".repeat(32)}`)]).toEqual([true, true]);
  for (const text of ["", "0x", "0x12", `0x${"ag".repeat(20)}`, "ab".repeat(21), `0x${"ab".repeat(32)}`, "name.eth"])
    expect([text, isHexOf(20, text)]).toEqual([text, false]);
});
