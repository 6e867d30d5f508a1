import { expect, test } from "bun:test";
import { getAddress } from "viem";
import { entriesOf, filterIn, isFiltered, listFault } from "./paymentFilter";

const address = `0x${"ab".repeat(20)}`;

test("a list is read as it is typed, each entry once", () => {
  expect(entriesOf(` 0x1, 0x2\n0x3,,0x1  0X2 `)).toEqual(["0x1", "0X2", "0x3"]);
  expect(entriesOf(undefined)).toEqual([]);
});

test("what is mistyped in an address stays in the filter: another filter would show other payments", () => {
  expect(filterIn({ account: "0x12", provider: "", subscription: 7 })).toEqual({ account: "0x12" });
  expect(isFiltered(filterIn({ account: "0x12" }))).toBe(true);
  expect(isFiltered(filterIn({ account: `${address},`.repeat(200) }))).toBe(true);
  expect(isFiltered(filterIn({ month: "2026-01" }))).toBe(false);
});

test("a list that the service would refuse has a reason that names the entry or the number", () => {
  expect(listFault("account", [address])).toBeUndefined();
  expect(listFault("account", [address, "0x12"])).toBe("“0x12” is not an address: 0x followed by 40 hex digits");
  const mixed = `0x${"aB".repeat(20)}`;
  expect(listFault("account", [address, mixed])).toBe(`“${mixed}” has a wrong checksum: compare it with its source`);
  expect(listFault("account", [getAddress(address), `0x${"AB".repeat(20)}`])).toBeUndefined();
  expect(listFault("subscription", [address])).toContain("the id of a subscription");
  expect(listFault("provider", Array(51).fill(address))).toBe("has 51 entries, and 50 are the most");
});
