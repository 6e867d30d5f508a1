import { join } from "node:path";
import { buildPackage } from "./buildPackage";

/** Writes the package as it is published to packages/sdk/build: `bun run sdk:build`. */
await buildPackage(join(import.meta.dir, "../build"));
