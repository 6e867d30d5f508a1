import { join } from "node:path";
import type { SupplyFacts } from "./findFaults";
import { installedPackages } from "./installedPackages";
import { readLock, readRequirements } from "./lockFile";

const ROOT = join(import.meta.dir, "..", "..");

/** Reads the packages of this repository: what is required, locked and installed. */
export async function readSupply(): Promise<SupplyFacts> {
  const requirements = await readRequirements(ROOT);
  return {
    requirements,
    lock: readLock(await Bun.file(join(ROOT, "bun.lock")).text()),
    installed: await installedPackages(ROOT, requirements.keys()),
  };
}
