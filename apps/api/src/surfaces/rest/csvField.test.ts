import { expect, test } from "bun:test";
import { getAccountSpending } from "@dueday/api/operations/money/getAccountSpending";
import { csvField } from "./csvField";

const { net, netRaw, tokenSymbol, failures } = getAccountSpending.output.properties.periods.items.properties;

test("a negative amount is a number, so that spreadsheets sum it", () => {
  expect(csvField(net, "-3.5")).toBe("-3.5");
  expect(csvField(netRaw, "-3500000")).toBe("-3500000");
  expect(csvField(failures, -1)).toBe("-1");
});

test.each(["=1+1", "+1", "-1", "-1+cmd|' /C calc'!A0", "@now", "\tx", "\rx", "＝1", "＋1", "－1", "＠x"])(
  "the text %p of a stranger is never a formula",
  (text) => {
    expect(csvField(tokenSymbol, text)).toBe(`'${text}`);
    // Not in a field of numbers either, whatever has got into it.
    if (text !== "-1") expect(csvField(net, text)).toBe(`'${text}`);
  },
);

test("a missing value is an empty field, a part of an answer its JSON", () => {
  expect([null, undefined, "", { a: 1 }].map((value) => csvField(tokenSymbol, value))).toEqual(["", "", "", '{"a":1}']);
});
