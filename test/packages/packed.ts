import { afterAll } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "@dueday/sdk/tools/runProgram";
import { packRelease } from "../../ops/release/packRelease";
import manifest from "../../package.json";

export const ROOT = join(import.meta.dir, "../..");
export const { catalog } = manifest.workspaces;

/**
 * A test downloads and builds a whole app. Each file sets this limit right before its tests: `createTestDatabase` sets a shorter one for all
 * tests that follow.
 */
export const TIMEOUT_MS = 900_000;

/** Outside of this workspace, where nothing of it is found by accident. */
export const folder = await mkdtemp(join(tmpdir(), "dueday-packages-"));
// A gigabyte of small files takes more than the five seconds of a hook.
afterAll(() => rm(folder, { recursive: true, force: true }), TIMEOUT_MS);

/** Where each published package was packed, as a dependency names it. */
export const tarballs: Readonly<Record<string, string>> = Object.fromEntries(
  (await packRelease(folder)).map(({ name, tarball, bytes }) => {
    console.info(`${name}: ${Math.ceil(bytes / 1024)} kB`);
    return [name, `file:${tarball}`];
  }),
);

/** The package of the program of Node 22. */
export const NODE = `node-${process.platform}-${process.arch}`;

/** Packages that this workspace does not use itself. */
const versions: Readonly<Record<string, string>> = {
  [NODE]: "22.23.3",
  vitest: "4.1.12",
  "@types/node": "22.20.5",
  next: "16.4.6",
  vite: "8.3.8",
  deno: "2.9.6",
  miniflare: "4.20260426.0",
  "@cloudflare/workers-types": "4.20260426.1",
};

/** These packages with the versions that are tested, as a package.json has them. */
export function dependenciesOf(names: readonly string[]): Record<string, string> {
  const known: Readonly<Record<string, string>> = { ...catalog, ...versions, ...tarballs };
  return Object.fromEntries(
    names.map((name) => {
      const version = known[name];
      if (version === undefined) throw new Error(`the version of ${name} is not known`);
      return [name, version];
    }),
  );
}

/** Writes the package.json of a project, and has npm install it. */
export async function installByNpm(project: string, dependencies: Record<string, string>): Promise<void> {
  await writeManifest(project, dependencies);
  await runProgram(["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"], project);
}

export async function writeManifest(project: string, dependencies: Record<string, string>): Promise<void> {
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
}

/** The program of Node 22 that a project has installed. */
export function nodeOf(project: string): string {
  return join(project, "node_modules", NODE, "bin/node");
}

/** Compiles a project by its own compiler, or by another one that it has. */
export async function compile(
  project: string,
  config: { compilerOptions: object; files: readonly string[] },
  compiler = "typescript",
): Promise<void> {
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
  await runProgram([process.execPath, `node_modules/${compiler}/bin/tsc`, "-p", "."], project);
}
