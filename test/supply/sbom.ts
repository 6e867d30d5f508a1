import rootPackage from "../../package.json" with { type: "json" };
import { createSbom } from "./createSbom";
import { readSupply } from "./readSupply";

const { name, version } = rootPackage;
const { installed, lock } = await readSupply();
const sbom = createSbom({ name, version, installed, locked: lock.packages, now: Date.now() });
console.log(JSON.stringify(sbom, null, 2));
