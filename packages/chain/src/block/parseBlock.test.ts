import { expect, test } from "bun:test";
import { zeroHash } from "viem";
import { blockStamp } from "./blockStamp";
import { parseBlock } from "./parseBlock";

const header = {
  number: "0x10",
  hash: zeroHash,
  parentHash: zeroHash,
  timestamp: "0x6b49d200",
  baseFeePerGas: "0x7",
  gasLimit: "0x2625a00",
};
const SECONDS = 0x6b49d200;

test("a block has the milliseconds of its header, and so has the stamp of an answer", () => {
  const timestampMs = SECONDS * 1_000 + 600;
  const block = parseBlock({ ...header, timestampMs: `0x${timestampMs.toString(16)}` });
  expect(block).toMatchObject({ timestamp: BigInt(SECONDS), timestampMs });
  expect(blockStamp(block)).toEqual({ blockNumber: "16", blockHash: zeroHash, blockTimestamp: SECONDS, timestampMs });
});

test.each([
  ["none, as before November 2026", {}],
  ["those of another second", { timestampMs: `0x${((SECONDS + 1) * 1_000).toString(16)}` }],
  ["no quantity", { timestampMs: 600 }],
])("milliseconds that are %s leave them out", (_, fields) => {
  const block = parseBlock({ ...header, ...fields });
  expect(block).not.toHaveProperty("timestampMs");
  expect(blockStamp(block)).toEqual({ blockNumber: "16", blockHash: zeroHash, blockTimestamp: SECONDS });
});
