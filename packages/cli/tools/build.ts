import { join } from "node:path";
import { buildPackage } from "./buildPackage";

/** Writes the package to packages/cli/build, as it is published: `bun run cli:build`. */
await buildPackage(join(import.meta.dir, "../build"));
