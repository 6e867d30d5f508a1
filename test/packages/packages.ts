/**
 * All packages as their users have them: packed, installed into empty projects outside this workspace, type-checked, and used by the
 * examples and by an app of each environment (`apps`), without a cast. It downloads about a gigabyte of packages: `bun run test:packages`.
 * What is quick of it, with Bun, is in `bun run test` (`packages/sdk/tools/buildPackage.test.ts`).
 */
import "./apps";
import "./compilers";
import "./examples";
import "./readmes";
