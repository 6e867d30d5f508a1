import type { InstalledPackage } from "./installedPackages";
import type { LockedPackage } from "./lockFile";

export type SbomFacts = {
  /** Name and version of the whole. */
  name: string;
  version: string;
  installed: readonly InstalledPackage[];
  locked: readonly LockedPackage[];
  /** Unix milliseconds. */
  now: number;
};

/** A software bill of materials in the form of CycloneDX 1.6. */
export function createSbom({ name, version, installed, locked, now }: SbomFacts) {
  const integrities = new Map(locked.map(({ id, integrity }) => [id, integrity]));
  const refs = new Map(installed.map((each) => [`${each.name}@${each.version}`, packageUrl(each)]));
  const root = packageUrl({ name, version });
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date(now).toISOString(),
      component: { type: "application", "bom-ref": root, name, version },
    },
    components: installed.map((each) => {
      const integrity = integrities.get(`${each.name}@${each.version}`) ?? null;
      return {
        type: "library",
        "bom-ref": packageUrl(each),
        name: each.name,
        version: each.version,
        purl: packageUrl(each),
        ...(each.license === null ? {} : { licenses: [{ expression: each.license }] }),
        ...(integrity === null ? {} : { hashes: [{ alg: "SHA-512", content: hexOf(integrity) }] }),
      };
    }),
    dependencies: [
      { ref: root, dependsOn: installed.filter(({ isDirect }) => isDirect).map(packageUrl) },
      ...installed.map((each) => ({
        ref: packageUrl(each),
        dependsOn: each.dependencies.flatMap((dependency) => refs.get(dependency) ?? []),
      })),
    ],
  };
}

function packageUrl({ name, version }: { name: string; version: string }): string {
  return `pkg:npm/${name.replace("@", "%40")}@${encodeURIComponent(version)}`;
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
}
