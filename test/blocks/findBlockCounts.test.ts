import { expect, test } from "bun:test";
import { findBlockCounts, judgeBlockCounts } from "./findBlockCounts";

const found = (source: string) => findBlockCounts("a.ts", source).map(({ name }) => name.replace("a.ts ", ""));

test.each([
  ["const KEPT_BLOCKS = 5_000;", "KEPT_BLOCKS"],
  ["const FINAL_BLOCKS: bigint = 64n;", "FINAL_BLOCKS"],
  ["  finalityBlocks: 600,", "finalityBlocks"],
  ["const profile = { everyBlocks: 2n, everyMs: 0 };", "everyBlocks"],
  ["/** Blocks that are remembered. */\nconst REMEMBERED = 256;", "REMEMBERED"],
  ["/**\n * The longest path\n * of blocks.\n */\nconst LONGEST = 40n;", "LONGEST"],
  ["const SEEN = 8; // of the latest blocks", "SEEN"],
  ["if (block.number < head.number - 600n) return;", "head.number 600n"],
  ["const from = headNumber; const start = head - 5_000;", "head 5_000"],
  ['const names = ["RPC_URLS", "FINALITY_BLOCKS"];', "FINALITY_BLOCKS"],
  ["wait({ confirmations: 12 })", "confirmations"],
])("%s counts blocks", (source, name) => {
  expect(found(source)).toEqual([name]);
});

test.each([
  "const KEPT_SECONDS = 600;",
  "/** How long blocks are remembered, in seconds. */\nconst REMEMBERED = 600;",
  "const next = head.number + 1n;",
  "const BLOCK_GAS_EXCEEDED = -38015;",
  "/** Milliseconds between two blocks. */\nconst INTERVAL = 200;",
  "/** A state between two blocks can differ. */\nconst DIFFERENCES = 3;",
  "const blocks: Block[] = [];",
  "const behindBlocks = headNumber - number;",
  "/** Read together with the blocks. */\n\nfunction read() {}\nconst TRIES = 3;",
])("%s does not", (source) => {
  expect(found(source)).toEqual([]);
});

test("a number that counts blocks needs a reason, and a reason needs its number", () => {
  const counts = findBlockCounts("a.ts", "const KEPT_BLOCKS = 5;");
  expect(judgeBlockCounts(counts, {})).toEqual([expect.stringContaining("a.ts KEPT_BLOCKS (line 1) counts blocks")]);
  expect(judgeBlockCounts(counts, { "a.ts KEPT_BLOCKS": "a provider's cap" })).toEqual([]);
  expect(judgeBlockCounts([], { "a.ts KEPT_BLOCKS": "a provider's cap" })).toEqual([
    "a.ts KEPT_BLOCKS counts no blocks: remove it from the list",
  ]);
});
