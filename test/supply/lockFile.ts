import { dirname, join } from "node:path";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** A package in bun.lock. */
export type LockedPackage = {
  /** `name@version`. */
  id: string;
  /** The registry's address: empty for the default one. */
  registry: string;
  /** `sha512-<base64>`; null where the lock file has none. */
  integrity: string | null;
};

/** What a package.json requires, by field: bun.lock repeats it. The fields of the whole workspace are at its root. */
export type Requirements = Readonly<Record<string, unknown>>;

export type Lock = {
  /** The packages of all platforms, without those of the workspace. */
  packages: LockedPackage[];
  /** Names of the packages whose install scripts are run. */
  trusted: string[];
  /** By folder, "." for the root. */
  requirements: Map<string, Requirements>;
};

/** As in package.json, and the root. */
export const WORKSPACES = [".", "packages/*", "apps/*", "test/support", "bench/peers"];

const FIELDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const ROOT_FIELDS = ["catalog", "patchedDependencies", "trustedDependencies"];

const Fields = Type.Record(Type.String(), Type.Unknown());
const LockFile = Type.Object({
  workspaces: Type.Record(Type.String(), Fields),
  catalog: Type.Optional(Type.Unknown()),
  patchedDependencies: Type.Optional(Type.Unknown()),
  trustedDependencies: Type.Optional(Type.Array(Type.String())),
  packages: Type.Record(Type.String(), Type.Array(Type.Unknown())),
});

/** Reads bun.lock. */
export function readLock(text: string): Lock {
  const file = Value.Parse(LockFile, Bun.JSONC.parse(text));
  const packages = Object.values(file.packages).flatMap(([id, registry, , integrity]) => {
    if (String(id).includes("@workspace:")) return [];
    return [
      { id: String(id), registry: String(registry), integrity: typeof integrity === "string" ? integrity : null },
    ];
  });
  const { workspaces, trustedDependencies: trusted = [] } = file;
  const requirements = Object.entries(workspaces).map(([folder, fields]) =>
    folder === ""
      ? ([".", pick({ ...fields, ...file }, [...FIELDS, ...ROOT_FIELDS])] as const)
      : ([folder, pick(fields, FIELDS)] as const),
  );
  return { packages, trusted, requirements: new Map(requirements) };
}

/** Reads what the packages of the workspace require, as bun.lock should repeat it. */
export async function readRequirements(root: string): Promise<Lock["requirements"]> {
  const found = WORKSPACES.map((glob) => Array.fromAsync(new Bun.Glob(`${glob}/package.json`).scan({ cwd: root })));
  const entries = (await Promise.all(found)).flat().map(async (path) => {
    const folder = dirname(path);
    const fields = Value.Parse(Fields, await Bun.file(join(root, path)).json());
    const ofAll = Value.Parse(Fields, fields.workspaces ?? {});
    return folder === "."
      ? ([folder, pick({ ...fields, ...ofAll }, [...FIELDS, ...ROOT_FIELDS])] as const)
      : ([folder, pick(fields, FIELDS)] as const);
  });
  return new Map(await Promise.all(entries));
}

/** The fields with a value; lists are sorted. */
function pick(fields: Requirements, names: readonly string[]): Requirements {
  const present = names.filter((name) => fields[name] !== undefined);
  return Object.fromEntries(
    present.map((name) => {
      const value = fields[name];
      return [name, Array.isArray(value) ? value.toSorted() : value];
    }),
  );
}
