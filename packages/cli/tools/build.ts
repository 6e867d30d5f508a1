import { join } from "node:path";
import { buildPackage } from "./buildPackage";

/** Writes the package as it is published to packages/cli/build: `bun run cli:build`. */
await buildPackage(join(import.meta.dir, "../build"));
