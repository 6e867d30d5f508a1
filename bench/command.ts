import { rm } from "node:fs/promises";
import { join } from "node:path";
import { buildPackage } from "../packages/cli/tools/buildPackage";
import { median } from "./support/quantile";

/**
 * Time from the start of the built command `dueday` until `--help` is printed, under Node and Bun, also as a ratio to the same program with
 * an empty script in the same run. The target is 0.4 s under both.
 */

const ROUNDS = 9;
// Inside the package, where the library of arguments is found as in an installed one.
const folder = join(import.meta.dir, `../packages/cli/build/bench-${process.pid}`);

function timeRun(program: string, ...args: string[]): number {
  const startedAt = performance.now();
  const { exitCode, stderr } = Bun.spawnSync([program, ...args]);
  if (exitCode !== 0) throw new Error(`${program} ${args.join(" ")} fails: ${stderr}`);
  return performance.now() - startedAt;
}

try {
  await buildPackage(folder);
  const command = join(folder, "dist/cli.js");
  for (const program of ["node", process.execPath]) {
    const runs = Array.from({ length: ROUNDS }, () => ({
      command: timeRun(program, command, "--help"),
      empty: timeRun(program, "-e", ""),
    }));
    const [started, empty] = [median(runs.map((run) => run.command)), median(runs.map((run) => run.empty))];
    const name = program === "node" ? "node" : "bun";
    console.log(
      `command: dueday --help under ${name} ${Math.round(started)} ms (at most 400), ${(started / empty).toFixed(1)} times an empty script`,
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
