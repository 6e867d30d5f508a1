import { expect, test } from "bun:test";
import { protocolAbi } from "@dueday/core/abi/protocol";
import fc from "fast-check";
import { decodeFunctionResult, encodeFunctionResult, getAddress, type Hex, numberToHex } from "viem";
import { decodeSubscriberRows } from "./decodeSubscriberRows";

const view = { abi: protocolAbi, functionName: "getSubscribersById" } as const;
const row = fc.record({
  subscriber: fc.bigInt(0n, 2n ** 160n - 1n).map((number) => getAddress(numberToHex(number, { size: 20 }))),
  feeBalance: fc.bigInt(0n, 2n ** 256n - 1n),
});

test("rows are decoded as viem decodes them, addresses checksummed", () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const data = encodeFunctionResult({ ...view, result: rows });
      expect(decodeSubscriberRows(data)).toEqual(rows);
      expect<unknown>(decodeSubscriberRows(data)).toEqual(decodeFunctionResult({ ...view, data }));
    }),
  );
});

test("data of another layout is refused", () => {
  const rows = [{ subscriber: getAddress(`0x${"ab".repeat(20)}`), feeBalance: 5n }];
  const data = encodeFunctionResult({ ...view, result: rows });
  const dirty = data.replace(`${"0".repeat(24)}ab`, `1${"0".repeat(23)}ab`);
  for (const wrong of ["0x", data.slice(0, -2), `${data}00`, `${data}${"0".repeat(64)}`, dirty]) {
    // Each is hex text.
    expect(() => decodeSubscriberRows(wrong as Hex)).toThrow();
  }
});
