import { join } from "node:path";
import { buildPackage } from "./buildPackage";

/** Writes the package to packages/testkit/build, as it is published: `bun run testkit:build`. */
await buildPackage(join(import.meta.dir, "../build"));
