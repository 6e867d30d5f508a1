import { spawnSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Compiles the keeper into one program that needs no Bun: `bun apps/keeper/tools/compile.ts [FILE]`. Prints its size, and how long it
 * takes to start, with nothing on the PATH.
 */
const outfile = process.argv[2] ?? join(process.cwd(), "keeper");
const result = await Bun.build({
  entrypoints: [join(import.meta.dir, "../src/main.ts")],
  compile: { outfile },
  minify: { whitespace: true },
});
if (!result.success) throw new AggregateError(result.logs, "the keeper could not be compiled");

const { size } = await stat(outfile);
const times = Array.from({ length: 5 }, () => {
  const since = performance.now();
  const { status } = spawnSync(outfile, ["--version"], { env: {} });
  if (status !== 0) throw new Error(`the compiled keeper ended with ${status}`);
  return performance.now() - since;
});
const median = times.toSorted((a, b) => a - b)[2] ?? 0;
console.log(`${outfile}: ${(size / 2 ** 20).toFixed(0)} MiB, starts in ${median.toFixed(0)} ms (median of 5)`);
