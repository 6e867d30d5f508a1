import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "@babel/parser";
import { parseConfig } from "@dueday/config/parseConfig";
import { operations } from "../src/operations/operations";
import { createOpenApi } from "../src/surfaces/openapi/openapi";

/**
 * Checks the OpenAPI document with the tools that its readers use: Redocly and Spectral find nothing, and the clients that
 * openapi-typescript and hey-api generate compile in strict mode, contain no `any`, and have closed sets of codes.
 */

const tools = join(import.meta.dir, "openapi");
const folder = await mkdtemp(join(tmpdir(), "dueday-openapi-"));

/** Runs a command of the tools in the folder. @throws Error with its output when it fails */
async function run(command: string, ...options: string[]): Promise<string> {
  const child = Bun.spawn([join(tools, "node_modules", ".bin", command), ...options], {
    cwd: folder,
    env: { ...Bun.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${command} fails:\n${output}${errors}`);
  return output;
}

/** `any` outside of comments and texts. */
function countAny(code: string): number {
  const { tokens } = parse(code, { sourceType: "module", tokens: true, plugins: ["typescript"] });
  return (tokens ?? []).filter(({ type, value }) => type.label === "name" && value === "any").length;
}

const CODES = `
import type { components } from "./openapi-typescript";
import type { Error, Issue, Warning } from "./hey-api";
type Schemas = components["schemas"];
type Closed<T> = string extends T ? never : true;
export const closed: [
  ...[Closed<Schemas["Error"]["code"]>, Closed<Schemas["Issue"]["code"]>, Closed<Schemas["Warning"]["code"]>],
  ...[Closed<Error["code"]>, Closed<Issue["code"]>, Closed<Warning["code"]>],
] = [true, true, true, true, true, true];
`;

const COMPILER_OPTIONS = {
  ...{ strict: true, noEmit: true, skipLibCheck: false, target: "es2023", module: "esnext" },
  ...{ moduleResolution: "bundler", lib: ["es2023", "dom", "dom.iterable"], types: [] },
};

try {
  const config = parseConfig({ CHAINS: "8453" });
  await Bun.write(
    join(folder, "openapi.json"),
    JSON.stringify(createOpenApi({ version: "1.0.0", config, operations })),
  );

  const { totals } = JSON.parse(await run("redocly", "lint", "openapi.json", "--format=json"));
  console.log(`Redocly: ${totals.errors} errors, ${totals.warnings} warnings`);
  if (totals.errors + totals.warnings > 0) throw new Error("Redocly finds faults: redocly lint lists them");
  await run("spectral", "lint", "openapi.json", "--ruleset", join(tools, "spectral.yaml"), "--fail-severity=hint");
  console.log("Spectral: 0 errors, 0 warnings, 0 hints");

  await run("openapi-typescript", "openapi.json", "--output", "openapi-typescript.d.ts");
  await run("openapi-ts", "--input", "openapi.json", "--output", "hey-api");
  await Bun.write(join(folder, "codes.ts"), CODES);
  await Bun.write(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["."] }));
  await run("tsc", "--project", "tsconfig.json");
  for (const file of ["openapi-typescript.d.ts", "hey-api/types.gen.ts", "hey-api/sdk.gen.ts"]) {
    const count = countAny(await Bun.file(join(folder, file)).text());
    console.log(`${file}: compiles in strict mode, ${count} any`);
    if (count > 0) throw new Error(`${file} contains any`);
  }
} finally {
  await rm(folder, { recursive: true });
}
