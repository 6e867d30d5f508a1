import { describe, expect, test } from "bun:test";
import { parseSimulation } from "../simulate/parseSimulation";
import { parseRpcAnswer } from "./parseRpcAnswer";

const LENGTH = 200_000;
/** Linear reading takes about 1 ms, a quadratic one 2.3 to 2.7 s. */
const WITHIN_MS = 300;

/** Milliseconds that the faster of two runs took. */
function timeOf(run: () => unknown): number {
  const times = [1, 2].map(() => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}

const refuse = (message: unknown, method = "eth_call") =>
  parseRpcAnswer({ method, params: [] }, { jsonrpc: "2.0", id: 1, error: { code: -32000, message } });

describe("a node's error message of 200 KB is read in no time:", () => {
  test.each(["block ", "block not", "state ", "header for hash ", "unknown ", "out of gas", "0x00", "a", "\n", "."])(
    "%p repeated",
    (part) => {
      const message = part.repeat(LENGTH / part.length);
      expect(timeOf(() => refuse(message))).toBeLessThan(WITHIN_MS);
      expect(timeOf(() => refuse(message, "eth_getLogs"))).toBeLessThan(WITHIN_MS);
      const call = { status: "0x0", gasUsed: "0x1", returnData: "0x", error: { message } };
      const simulated = [{ number: "0x1", timestamp: "0x1", calls: [call] }];
      const expected = { number: 1n, time: 1n, limits: [100n] };
      expect(timeOf(() => parseSimulation(simulated, [expected]))).toBeLessThan(WITHIN_MS);
    },
  );

  test("and 500 characters of it are kept", () => {
    const outcome = refuse("x".repeat(LENGTH));
    expect("refusal" in outcome && outcome.refusal.message).toBe("x".repeat(500));
  });
});

test.each([
  "header not found",
  "Unknown block",
  "Block with number 12 not found",
  "block 0xabc is unknown",
  "Block out of range",
  "missing trie node 1234",
  "failed. Required state 0xab is not available",
])("%p is about a block that the node does not have", (message) => {
  expect(refuse(message)).toEqual({ failure: { kind: "missing_block" } });
});

test.each(["block gas limit. method not found", "not found: block", "not available: state", "method unknown"])(
  "%p is not",
  (message) => {
    expect(refuse(message)).toHaveProperty("refusal");
  },
);
