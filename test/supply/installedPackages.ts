import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** An npm package in node_modules. */
export type InstalledPackage = {
  name: string;
  version: string;
  /** An SPDX expression; null where its package.json has none. */
  license: string | null;
  /** The lifecycle scripts that an installation would run. */
  installScripts: string[];
  /** `name@version` of each package that it can import. */
  dependencies: string[];
  /** Whether a package of the workspace names it. */
  isDirect: boolean;
};

const Manifest = Type.Object({
  name: Type.String(),
  version: Type.String(),
  license: Type.Optional(Type.Unknown()),
  licenses: Type.Optional(Type.Unknown()),
  scripts: Type.Optional(Type.Record(Type.String(), Type.String())),
});
const OldLicenses = Type.Array(Type.Object({ type: Type.String() }));

/** Where bun's isolated linker stores packages: `<store>/<key>/node_modules/<name>`, with links to its dependencies beside it. */
const STORE = join("node_modules", ".bun");
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall"];

/**
 * Reads the packages that these workspaces import, directly or not, from node_modules.
 *
 * @param workspaces folders below `root`
 * @returns sorted by name and version
 */
export async function installedPackages(root: string, workspaces: Iterable<string>): Promise<InstalledPackage[]> {
  const store = join(await realpath(root), STORE);
  const found = new Map<string, InstalledPackage>();

  async function visit(path: string): Promise<string | null> {
    if (!path.startsWith(store)) return null;
    const manifest = Value.Parse(Manifest, await Bun.file(join(path, "package.json")).json());
    const id = `${manifest.name}@${manifest.version}`;
    if (found.has(id)) return id;
    const installScripts = INSTALL_SCRIPTS.filter((script) => manifest.scripts?.[script] !== undefined);
    // npm runs node-gyp for such a package, without a script.
    if (installScripts.length === 0 && (await Bun.file(join(path, "binding.gyp")).exists()))
      installScripts.push("install");
    const { name, version } = manifest;
    const license = licenseOf(manifest);
    const entry: InstalledPackage = { name, version, license, installScripts, dependencies: [], isDirect: false };
    found.set(id, entry);
    const siblings = path.slice(0, path.length - name.length);
    const others = (await linksIn(siblings)).filter((link) => link !== path);
    const dependencies = await Promise.all(others.map(visit));
    entry.dependencies = [...new Set(dependencies.flatMap((dependency) => dependency ?? []))].sort();
    return id;
  }

  for (const workspace of workspaces) {
    for (const link of await linksIn(join(root, workspace, "node_modules"))) {
      const direct = found.get((await visit(link)) ?? "");
      if (direct !== undefined) direct.isDirect = true;
    }
  }
  const order = (each: InstalledPackage) => `${each.name}@${each.version}`;
  return [...found.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** The packages in a node_modules folder, with links resolved; none where there is no such folder. */
async function linksIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith("."));
  const paths = await Promise.all(
    names.map(async (name) => {
      if (!name.startsWith("@")) return [join(folder, name)];
      return (await readdir(join(folder, name))).map((scoped) => join(folder, name, scoped));
    }),
  );
  return Promise.all(paths.flat().map((path) => realpath(path)));
}

/** Old packages have `licenses: [{ type }]`. */
function licenseOf({ license, licenses }: { license?: unknown; licenses?: unknown }): string | null {
  if (typeof license === "string") return license;
  if (!Value.Check(OldLicenses, licenses) || licenses.length === 0) return null;
  return licenses.map(({ type }) => type).join(" OR ");
}
