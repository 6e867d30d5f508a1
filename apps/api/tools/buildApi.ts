import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";

/** Beside `src`, so that relative paths in the source lead to the same files from the build. */
const FOLDER = join(import.meta.dir, "../build");

/**
 * Bundles the API into a few files, in 0.3 s, and returns the file to run. An API process that runs from them takes 20 MB less memory
 * than from 1,400 modules (bench/start.ts). Files of earlier builds stay: a process may still load parts of its build.
 *
 * @throws AggregateError with each fault of the sources
 */
export async function buildApi(): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  // Each file is moved only when it is complete: another process may run from the folder, or build into it.
  const draft = await mkdtemp(join(FOLDER, "draft-"));
  try {
    const { outputs } = await Bun.build({
      entrypoints: [join(import.meta.dir, "../src/main.ts")],
      outdir: draft,
      target: "bun",
      splitting: true,
      sourcemap: "linked",
    });
    for (const { path } of outputs) await rename(path, join(FOLDER, basename(path)));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return join(FOLDER, "main.js");
}
