import { join } from "node:path";
import { buildPackage } from "./buildPackage";

/** Writes the package to packages/sdk/build, as it is published: `bun run sdk:build`. */
await buildPackage(join(import.meta.dir, "../build"));
