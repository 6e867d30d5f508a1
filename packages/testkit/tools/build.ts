import { join } from "node:path";
import { buildPackage } from "./buildPackage";

/** Writes the package as it is published to packages/testkit/build: `bun run testkit:build`. */
await buildPackage(join(import.meta.dir, "../build"));
