import { describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import { createSbom } from "./createSbom";
import { findFaults, type Policy, policy } from "./findFaults";
import type { InstalledPackage } from "./installedPackages";
import type { Lock } from "./lockFile";
import { readSupply } from "./readSupply";

const supply = await readSupply();
const { installed, lock } = supply;

describe("the installed packages", () => {
  test("and the lock file keep the rules", () => {
    expect(findFaults(supply, policy)).toEqual([]);
    expect(installed.length).toBeGreaterThan(100);
  });

  const one: InstalledPackage = {
    name: "viem",
    version: "1.0.0",
    license: "MIT",
    installScripts: [],
    dependencies: [],
    isDirect: true,
  };
  const locked = { id: "viem@1.0.0", registry: "", integrity: "sha512-AA==" };
  const ownLock: Lock = {
    packages: [locked],
    trusted: [],
    requirements: new Map([[".", { dependencies: { viem: "1.0.0" } }]]),
  };
  const facts = { installed: [one], lock: ownLock, requirements: ownLock.requirements };
  const rules: Policy = { licenses: ["MIT", "ISC"], withInstallScripts: [] };
  const faultsOf = (change: Partial<InstalledPackage>, withInstallScripts: string[] = []) =>
    findFaults({ ...facts, installed: [{ ...one, ...change }] }, { ...rules, withInstallScripts });
  const faultsOfLock = (change: Partial<Lock>) => findFaults({ ...facts, lock: { ...ownLock, ...change } }, rules);

  test("may have an allowed licence, or one of several that is", () => {
    for (const license of ["MIT", "ISC", "(GPL-3.0 OR MIT)", "MIT AND ISC"]) expect(faultsOf({ license })).toEqual([]);
    for (const license of ["GPL-3.0-only", "MIT AND GPL-3.0", "SEE LICENSE IN LICENSE", "UNLICENSED", "", null])
      expect(faultsOf({ license })).toEqual([`viem 1.0.0 has the licence ${license ?? "(none)"}`]);
  });

  test("with install scripts are exactly those that are listed", () => {
    const installScripts = ["postinstall"];
    expect(faultsOf({ installScripts })).toEqual([expect.stringContaining("install script (postinstall)")]);
    expect(faultsOf({ installScripts }, ["viem"])).toEqual([]);
    expect(faultsOf({}, ["viem"])).toEqual([expect.stringContaining("and has none")]);
    expect(faultsOf({}, ["gone"])).toEqual([expect.stringContaining("is not in bun.lock")]);
    expect(faultsOfLock({ trusted: ["viem"] })).toEqual([expect.stringContaining("is trusted to run scripts")]);
  });

  test("are all in the lock file, with a hash and without a registry", () => {
    expect(faultsOf({ version: "1.0.1" })).toEqual(["viem 1.0.1 is installed, but not in bun.lock"]);
    expect(faultsOfLock({ packages: [{ ...locked, integrity: null }] })).toEqual([
      expect.stringContaining("has no sha512"),
    ]);
    expect(faultsOfLock({ packages: [{ ...locked, registry: "https://registry.example/" }] })).toEqual([
      expect.stringContaining("names the registry"),
    ]);
    expect(findFaults({ ...facts, installed: [] }, rules)).toEqual([
      expect.stringContaining("no package is installed"),
    ]);
  });

  test("are those that each package.json requires: the lock file repeats all of it", () => {
    for (const dependencies of [{}, { viem: "1.0.1" }, { viem: "1.0.0", ajv: "1.0.0" }])
      expect(faultsOfLock({ requirements: new Map([[".", { dependencies }]]) })).toEqual([
        "bun.lock does not repeat what package.json requires: run `bun install`",
      ]);
    expect(faultsOfLock({ requirements: new Map() })).toHaveLength(1);
  });
});

describe("the software bill of materials", () => {
  const sbom = createSbom({ name: "dueday", version: "0.1.0", installed, locked: lock.packages, now: 0 });

  /** The schemas that CycloneDX publishes. */
  async function validator() {
    const schemas = join(dirname(require.resolve("@cyclonedx/cyclonedx-library/package.json")), "res", "schema");
    const read = (name: string) => Bun.file(join(schemas, `${name}.SNAPSHOT.schema.json`)).json();
    const anyText = { "idn-email": true, "iri-reference": true, "date-time": true, email: true, uri: true } as const;
    const ajv = new Ajv({ strict: false, formats: anyText });
    for (const name of ["spdx", "jsf-0.82"])
      ajv.addSchema(await read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    return ajv.compile(await read("bom-1.6"));
  }

  test("fits the schema of CycloneDX, and one with a wrong field does not", async () => {
    const validate = await validator();
    expect(validate(sbom) ? [] : validate.errors).toEqual([]);
    expect(validate({ ...sbom, components: [{ type: "library" }] })).toBe(false);
  });

  test("has each installed package once, with the hash of its archive, its licence, and the packages that it imports", () => {
    expect(sbom.components).toHaveLength(installed.length);
    expect(new Set(sbom.components.map(({ purl }) => purl)).size).toBe(installed.length);
    for (const { hashes, licenses } of sbom.components) {
      expect(hashes).toEqual([{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
      expect(licenses).toHaveLength(1);
    }
    const ajv = sbom.dependencies.find(({ ref }) => ref.startsWith("pkg:npm/ajv@"));
    expect(ajv?.dependsOn).toEqual(expect.arrayContaining([expect.stringMatching(/^pkg:npm\/fast-uri@/)]));
    const [root] = sbom.dependencies;
    expect(root?.dependsOn).toEqual(expect.arrayContaining([expect.stringMatching(/^pkg:npm\/viem@/)]));
    const refs = new Set(sbom.components.map((component) => component["bom-ref"]));
    for (const { dependsOn } of sbom.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
  });
});
