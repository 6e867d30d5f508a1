import { expect, test } from "bun:test";
import { MOST_LABELS, parseLabels } from "../config/labels";
import { labelFaults } from "./labelFaults";

const address = `0x${"Ab".repeat(20)}`;
const none = parseLabels(null);

test("a label has an address and 1 to 40 characters, counted as a reader counts them", () => {
  expect(labelFaults(none, { address, text: "💶".repeat(40) })).toEqual({});
  expect(labelFaults(none, { address, text: "x".repeat(41) }).text).toBe("must have at most 40 characters; it has 41");
  expect(labelFaults(none, { address, text: ` ${"x".repeat(40)} ` })).toEqual({});
  expect(labelFaults(none, { address, text: "\u202e\u200b " }).text).toContain("can be seen");
  expect(labelFaults(none, { address: address.slice(1), text: "rent" }).address).toContain("40 hex digits");
});

test("a browser keeps 500 labels: the next is refused, and one of them can still be changed", () => {
  const stored = Object.fromEntries(
    Array.from({ length: MOST_LABELS + 5 }, (_, index) => [`0x${index.toString(16).padStart(40, "0")}`, "a label"]),
  );
  const labels = parseLabels(JSON.stringify(stored));
  expect(labels.size).toBe(MOST_LABELS);
  expect(labelFaults(labels, { address, text: "rent" }).address).toContain("remove one first");
  expect(labelFaults(labels, { address: `0x${"0".repeat(40)}`, text: "rent" })).toEqual({});
});

test.each([
  ["no JSON", "rent"],
  ["no object", "7"],
  ["null", "null"],
  ["no address", JSON.stringify({ rent: "0x12" })],
  ["no text", JSON.stringify({ [address]: 7 })],
  ["a long text", JSON.stringify({ [address]: "x".repeat(41) })],
])("what is stored as labels is none where it is %s", (_, text) => {
  expect([...parseLabels(text)]).toEqual([]);
});
