import { findFaults, policy } from "./findFaults";
import { readSupply } from "./readSupply";

const supply = await readSupply();
const faults = findFaults(supply, policy);
for (const fault of faults) console.error(fault);
if (faults.length > 0) console.error("test/supply/findFaults.ts has the rules");
else console.log(`${supply.installed.length} packages: licences, install scripts and lock file are as listed`);
process.exitCode = faults.length > 0 ? 1 : 0;
