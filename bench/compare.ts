import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./support/quantile";

/**
 * Compares a benchmark of this work tree with the same benchmark of an earlier commit: `bun run bench:compare <commit> <bench> [runs]`, such as
 * `bun run bench:compare HEAD~3 bench/backfill.ts 5`. Both versions run in turn, so that a machine whose speed drifts affects them equally.
 * Prints the medians of each line with figures, and their ratio.
 */

const ROOT = join(import.meta.dir, "..");
const [commit, bench, given = "5"] = process.argv.slice(2);
const runs = Number(given);
if (commit === undefined || bench === undefined || !Number.isInteger(runs) || runs < 1) {
  console.error("usage: bun run bench:compare <commit> <bench/file.ts> [runs]");
  process.exit(2);
}

const before = await mkdtemp(join(tmpdir(), "dueday-compare-"));

function run(command: string[], cwd: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, stdin: "ignore" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with code ${exitCode}:\n${stderr}`);
  return stdout.toString();
}

const FIGURE = /\d+(?:[.,]\d+)*/g;
/** The figures of each line by its text. Lines of the same text are distinguished by their order. */
type Figures = Map<string, number[]>;

function figuresOf(output: string): Figures {
  const figures: Figures = new Map();
  for (const line of output.split("\n")) {
    const numbers = line.match(FIGURE)?.map((text) => Number(text.replaceAll(",", "")));
    if (numbers === undefined) continue;
    const text = line.replaceAll(FIGURE, "#").trim();
    let key = text;
    for (let copy = 2; figures.has(key); copy++) key = `${text} (${copy})`;
    figures.set(key, numbers);
  }
  return figures;
}

try {
  run(["git", "worktree", "add", "--detach", "--force", before, commit], ROOT);
  run(["bun", "install", "--frozen-lockfile"], before);
  const outputs = { before: [] as Figures[], now: [] as Figures[] };
  for (let index = 1; index <= runs; index++) {
    console.error(`run ${index} of ${runs}`);
    outputs.before.push(figuresOf(run(["bun", "--no-orphans", bench], before)));
    outputs.now.push(figuresOf(run(["bun", "--no-orphans", bench], ROOT)));
  }
  for (const [text, first] of outputs.now[0] ?? []) {
    const columns = first.map((_, column) => {
      const [then, now] = [outputs.before, outputs.now].map((all) =>
        median(all.flatMap((figures) => figures.get(text)?.[column] ?? [])),
      );
      return then === undefined || now === undefined || Number.isNaN(then)
        ? `${now} (new)`
        : `${then} -> ${now}${then === 0 ? "" : ` (x${(now / then).toFixed(2)})`}`;
    });
    console.log(`${text}\n    ${columns.join(", ")}`);
  }
} finally {
  Bun.spawnSync(["git", "worktree", "remove", "--force", before], { cwd: ROOT });
  await rm(before, { recursive: true, force: true });
}
process.exit(0);
