import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { runProgram } from "./runProgram";

/** Packs a built package as it is published. @returns the path of the tarball */
export async function packPackage(built: string, into: string): Promise<string> {
  const command = ["npm", "pack", "--silent", "--pack-destination", into];
  return join(into, (await runProgram(command, built)).trim());
}

/** What publint and are-the-types-wrong find in a built package and its tarball. A command without a library needs no types. */
export async function findPackageFaults(built: string, tarball: string): Promise<unknown[]> {
  const { messages } = await publint({ pkgDir: built, strict: true, pack: false });
  const { bin, exports } = await Bun.file(join(built, "package.json")).json();
  if (bin !== undefined && exports?.["."] === undefined) return [...messages];
  const bytes = new Uint8Array(await Bun.file(tarball).arrayBuffer());
  const result = await checkPackage(createPackageFromTarballData(bytes));
  if (!result.types) return [...messages, `${tarball} has no types`];
  return [...messages, ...result.problems.filter((problem) => !isOfOldNode(problem))];
}

/**
 * The package is ESM alone. Node's require() loads ESM since 22.12, but the tool reports that as a fault. The resolution of Node 10 does not
 * know `exports`.
 */
function isOfOldNode(problem: { kind: string; resolutionKind?: string }): boolean {
  return (
    problem.kind === "CJSResolvesToESM" || (problem.kind === "NoResolution" && problem.resolutionKind === "node10")
  );
}
