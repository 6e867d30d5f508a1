import { expect, test } from "bun:test";
import { parseBlock } from "@dueday/chain/block/parseBlock";
import { zeroHash } from "viem";
import { toIndexedBlock } from "./headers";

const SECONDS = 1_795_000_000;
const header = { number: "0x10", hash: zeroHash, parentHash: zeroHash, gasLimit: "0x1" };
const timestamp = `0x${SECONDS.toString(16)}`;

test("a block of the index has milliseconds where the node shows them, and no such field where it does not", () => {
  const timestampMs = SECONDS * 1_000 + 800;
  const shown = parseBlock({ ...header, timestamp, timestampMs: `0x${timestampMs.toString(16)}` });
  const block = { number: 16, hash: zeroHash, timestamp: SECONDS };
  expect(toIndexedBlock(shown)).toEqual({ ...block, timestampMs });
  expect(toIndexedBlock(parseBlock({ ...header, timestamp }))).not.toHaveProperty("timestampMs");
});
