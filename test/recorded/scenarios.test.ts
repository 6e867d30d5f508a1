import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import { SHARDS } from "./replayShard";

const scenarios = await loadScenarios();

test("all 120 scenarios with their 927 plans are in the repository, and every shard has its file, which replays it", async () => {
  expect(scenarios).toHaveLength(120);
  expect(scenarios.flatMap(({ steps }) => steps.filter(({ op }) => op === "plan"))).toHaveLength(927);
  const files = (await readdir(import.meta.dir)).filter((file) => /^shard\d+\.test\.ts$/.test(file)).sort();
  expect(files).toEqual(Array.from({ length: SHARDS }, (_, index) => `shard${index + 1}.test.ts`));
  for (const [index, file] of files.entries()) {
    expect(await Bun.file(join(import.meta.dir, file)).text()).toContain(`replayShard(${index + 1}, testDepth);`);
  }
});

test("lists that the contract itself can't return are among them", () => {
  const recorded = scenarios.flatMap(({ final }) => Object.values(final.subscriptions));
  expect(recorded.filter(({ subscribers }) => "revert" in subscribers)).toHaveLength(12);
});
