import { describe, expect, test } from "bun:test";
import { ServiceError } from "@dueday/core/errors";
import { encodeErrorResult, parseAbi } from "viem";
import { parseSimulation } from "./parseSimulation";

// Answers written after the execution-apis specification and geth's form of it, which anvil's differs from.

const GAS = 1_000_000n;
const expected = [{ limits: [GAS, GAS], number: 101n, time: 1_701n }];
const reason = (text: string) =>
  encodeErrorResult({ abi: parseAbi(["error Error(string)"]), errorName: "Error", args: [text] });

const good = { status: "0x1", returnData: "0x", gasUsed: "0x5208", logs: [] };

function block(calls: unknown[], changes: Record<string, unknown> = {}) {
  return [{ number: "0x65", timestamp: "0x6a5", gasUsed: "0xa410", calls, ...changes }];
}

function failed(error: unknown, fields: Record<string, unknown> = {}) {
  return { status: "0x0", returnData: "0x", gasUsed: "0x5208", logs: [], error, ...fields };
}

describe("calls of a simulated block", () => {
  test("a success has its gas and its logs in order, addresses checksummed", () => {
    const address = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
    const topic = `0x${"11".repeat(32)}`;
    const log = { address, topics: [topic], data: "0x01", blockNumber: "0x65", logIndex: "0x0" };
    const [first] = parseSimulation(
      block([{ ...good, logs: [log, { ...log, data: "0x02", logIndex: "0x1" }] }, good]),
      expected,
    );
    expect<unknown>(first).toEqual({
      success: true,
      gasUsed: 21_000n,
      returnData: "0x",
      outOfGas: false,
      logs: ["0x01", "0x02"].map((data) => ({
        address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        topics: [topic],
        data,
      })),
    });
  });

  const reverts: [string, unknown, string][] = [
    ["code 3, data in the error", failed({ code: 3, message: "execution reverted: 6", data: reason("6") }), "6"],
    [
      "code 3, data in both",
      failed({ code: 3, message: "reverted", data: reason("6") }, { returnData: reason("6") }),
      "6",
    ],
    ["-32000, data in returnData", failed({ code: -32000, message: "reverted" }, { returnData: reason("10") }), "10"],
    ["anvil's -3200", failed({ code: -3200, message: "execution failed" }, { returnData: reason("6") }), "6"],
    ["no data", failed({ code: 3, message: "execution reverted" }), ""],
    [
      "invalid opcode with all its gas",
      failed({ code: -32015, message: "invalid opcode: INVALID" }, { gasUsed: "0xf4240" }),
      "",
    ],
  ];
  for (const [name, call, code] of reverts) {
    test(`a revert (${name}) is the contract's word`, () => {
      const [, second] = parseSimulation(block([good, call]), expected);
      expect(second).toMatchObject({ success: false, outOfGas: false, logs: [], revert: { code } });
    });
  }

  const exhausted: [string, unknown][] = [
    ["geth's message, below the call's own limit", failed({ code: -32015, message: "out of gas" })],
    ["all of the call's gas is gone", failed({ code: -3200, message: "execution failed" }, { gasUsed: "0xf4240" })],
    ["an inner call took its 63/64", failed({ code: 3, message: "execution reverted" }, { gasUsed: "0xf0000" })],
  ];
  for (const [name, call] of exhausted) {
    test(`gas that ran out (${name}) is not a revert of the contract`, () => {
      expect(parseSimulation(block([good, call]), expected)[1]).toMatchObject({ success: false, outOfGas: true });
    });
  }

  test("calls of several blocks follow one another", () => {
    const next = { limits: [GAS], number: 102n, time: 1_701n };
    const answer = [...block([good, good]), ...block([{ ...good, gasUsed: "0x5209" }], { number: "0x66" })];
    const calls = parseSimulation(answer, [...expected, next]);
    expect(calls.map(({ gasUsed }) => gasUsed)).toEqual([21_000n, 21_000n, 21_001n]);
    expect(() => parseSimulation(answer.toReversed(), [...expected, next])).toThrow("can't be parsed");
  });

  const wrong: [string, unknown][] = [
    ["null", null],
    ["no block", []],
    ["two blocks", [...block([good, good]), ...block([good, good])]],
    ["a call too few", block([good])],
    ["a call too many", block([good, good, good])],
    ["another number, as nodes that simulate on the head's own", block([good, good], { number: "0x64" })],
    ["another time", block([good, good], { timestamp: "0x6a4" })],
    ["a call without a status", block([good, { gasUsed: "0x1" }])],
    ["malformed logs", block([good, { ...good, logs: [{ address: "0x12" }] }])],
  ];
  for (const [name, answer] of wrong) {
    test(`${name}: refused as UPSTREAM_ERROR`, () => {
      const parse = () => parseSimulation(answer, expected);
      expect(parse).toThrow(ServiceError);
      expect(parse).toThrow("can't be parsed");
    });
  }
});
