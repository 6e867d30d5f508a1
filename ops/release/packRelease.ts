import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { buildPackage as buildCli } from "@dueday/cli/tools/buildPackage";
import { buildPackage as buildSdk } from "@dueday/sdk/tools/buildPackage";
import { findPackageFaults, packPackage } from "@dueday/sdk/tools/packPackage";
import { buildPackage as buildTestkit } from "@dueday/testkit/tools/buildPackage";

/** A package that was built and packed, without a fault. */
export type Packed = { name: string; tarball: string; bytes: number };

const KIB = 1024;

/** The published packages, with the maximum size of the tarball, which every user and every CI run downloads. */
const PACKAGES = [
  { name: "sdk", build: buildSdk, mostBytes: 520 * KIB },
  { name: "testkit", build: buildTestkit, mostBytes: 3_200 * KIB },
  { name: "cli", build: buildCli, mostBytes: 400 * KIB },
] as const;

/**
 * Builds, checks and packs all published packages into a folder, as `dueday-sdk.tgz` and so on. Files of an earlier run are replaced.
 *
 * @throws Error with the faults that publint or are-the-types-wrong found, or with the size of a tarball that is too large
 */
export async function packRelease(folder: string): Promise<Packed[]> {
  const packed: Packed[] = [];
  for (const { name, build, mostBytes } of PACKAGES) {
    const built = join(folder, name);
    await mkdir(folder, { recursive: true });
    await build(built);
    const versioned = await packPackage(built, folder);
    const faults = await findPackageFaults(built, versioned);
    if (faults.length > 0) throw new Error(`@dueday/${name} can't be published: ${JSON.stringify(faults, null, 2)}`);
    // The file has the same name in each version, so that documents and projects can refer to it.
    const tarball = join(folder, `dueday-${name}.tgz`);
    await rename(versioned, tarball);
    await rm(built, { recursive: true });
    const { size: bytes } = await stat(tarball);
    if (bytes > mostBytes)
      throw new Error(`the package @dueday/${name} has ${bytes} bytes; at most ${mostBytes} are allowed`);
    packed.push({ name: `@dueday/${name}`, tarball, bytes });
  }
  return packed;
}
