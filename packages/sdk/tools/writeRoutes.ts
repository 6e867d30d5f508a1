import { join } from "node:path";
import { operations } from "@dueday/api/operations/operations";
import { csvOperationsOf, routesOfOperations } from "./routesOfOperations";

/** Writes the client's table of routes from the service's list of operations: `bun run sdk:routes`. */

const lines = Object.entries(routesOfOperations(operations)).map(
  ([name, route]) => `  ${name}: ${JSON.stringify(route)},`,
);
const file = join(import.meta.dir, "../src/http/operationRoutes.ts");
await Bun.write(
  file,
  `import type { OperationName } from "../operationTypes";
import type { OperationRoute } from "./buildRequest";

/** How each operation is called. Written by \`bun run sdk:routes\` from the service's list of operations; a test compares both. */
export const operationRoutes: { readonly [N in OperationName]: OperationRoute } = {
${lines.join("\n")}
};

/** Those whose list the service also writes as CSV. */
export const csvOperations = ${JSON.stringify(csvOperationsOf(operations))} as const satisfies readonly OperationName[];
export type CsvOperation = (typeof csvOperations)[number];
`,
);
await Bun.spawn([process.execPath, "x", "biome", "check", "--write", file], { stdio: ["ignore", "ignore", "inherit"] })
  .exited;
