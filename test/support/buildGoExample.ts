import { join } from "node:path";
import { ensureProgram, programs } from "./ensureProgram";

const FOLDER = join(import.meta.dir, "../../examples/go");

/** Compiles the example in Go into a folder. `go run` would start a second process, which outlives it. @returns the program; null without Go */
export function buildGoExample(folder: string): string | null {
  const go = ensureProgram(programs.go);
  if (go === null) return null;
  const program = join(folder, "dueday");
  const built = Bun.spawnSync([go, "build", "-o", program, "main.go"], {
    cwd: FOLDER,
    // Its cache is of no use to anything else.
    env: { ...Bun.env, GOCACHE: join(folder, "cache") },
  });
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  return program;
}
