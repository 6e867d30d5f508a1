import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "@babel/parser";
import { parseConfig } from "@dueday/config/parseConfig";
import { testDepth } from "@dueday/test-support/testDepth";
import { operations } from "../../operations/operations";
import { createOpenApi } from "./openapi";

/** The document in the tools that its readers use. They have a separate lock file, and are installed with the tests only. */
const tools = join(import.meta.dir, "../../../tools/openapi");
const bin = join(tools, "node_modules/.bin");
const compiler = join(import.meta.dir, "../../../../../node_modules/.bin/tsc");
const folder = await mkdtemp(join(tmpdir(), "dueday-openapi-"));
afterAll(() => rm(folder, { recursive: true }));

beforeAll(async () => {
  if (!(await Bun.file(join(bin, "redocly")).exists()))
    throw new Error("Install the tools first: bun install --frozen-lockfile --cwd apps/api/tools/openapi");
  const config = parseConfig({ CHAINS: "8453" });
  const document = createOpenApi({ version: "1.0.0", config, operations });
  await Bun.write(join(folder, "openapi.json"), JSON.stringify(document));
});

/** Runs a tool, or a program by its path, in the folder. @throws Error with its output when it fails */
async function run(command: string, ...options: string[]): Promise<string> {
  const child = Bun.spawn([resolve(bin, command), ...options], {
    cwd: folder,
    env: { ...Bun.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${command} fails:\n${output}${errors}`);
  return output;
}

test("Redocly finds no error and no warning", async () => {
  const { problems } = JSON.parse(await run("redocly", "lint", "openapi.json", "--format=json"));
  expect(problems).toEqual([]);
});

test("Spectral finds no error, no warning and no hint by its rules for OpenAPI and by those for the API risks that OWASP lists", async () => {
  await run("spectral", "lint", "openapi.json", "--ruleset", join(tools, "spectral.yaml"), "--fail-severity=hint");
});

/** Compiles only where each of these types is a union of texts. */
const CODES = `
import type { components } from "./openapi-typescript";
import type { Error, Issue, Warning } from "./hey-api";
import type { Error as OrvalError, Issue as OrvalIssue, Warning as OrvalWarning } from "./orval/client.schemas";
type Schemas = components["schemas"];
type Closed<T> = string extends T ? never : true;
export const closed: [
  ...[Closed<Schemas["Error"]["code"]>, Closed<Schemas["Issue"]["code"]>, Closed<Schemas["Warning"]["code"]>],
  ...[Closed<Error["code"]>, Closed<Issue["code"]>, Closed<Warning["code"]>],
  ...[Closed<OrvalError["code"]>, Closed<OrvalIssue["code"]>, Closed<OrvalWarning["code"]>],
] = [true, true, true, true, true, true, true, true, true];
`;

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  target: "es2023",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2023", "dom", "dom.iterable"],
  types: [],
};

/** What an editor has to read. Where it is exceeded, a part that is written often becomes a component. */
const MOST_BYTES = {
  "openapi-typescript.d.ts": 740_000,
  "hey-api/types.gen.ts": 460_000,
  "orval/client.schemas.ts": 340_000,
} as const;

/** The clients take as long as the other tools together. */
if (testDepth > 1) {
  test("the clients that openapi-typescript, hey-api and orval generate compile in strict mode, contain no any, and have closed sets of codes", async () => {
    await run("openapi-typescript", "openapi.json", "--output", "openapi-typescript.d.ts");
    await run("openapi-ts", "--input", "openapi.json", "--output", "hey-api");
    await run(
      "orval",
      "--input",
      "openapi.json",
      "--output",
      "orval/client.ts",
      "--client",
      "fetch",
      "--mode",
      "split",
    );
    await Bun.write(join(folder, "codes.ts"), CODES);
    await Bun.write(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["."] }),
    );
    await run(compiler, "--project", "tsconfig.json");
    for (const file of [...Object.keys(MOST_BYTES), "hey-api/sdk.gen.ts", "orval/client.ts"])
      expect([file, countAny(await Bun.file(join(folder, file)).text())]).toEqual([file, 0]);
  });
}

test.each(Object.entries({ "openapi.json": 860_000, ...(testDepth > 1 && MOST_BYTES) }))(
  "%s has at most %d bytes",
  (file, most) => {
    const { size } = Bun.file(join(folder, file));
    console.info(`${file}: ${size} bytes`);
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThanOrEqual(most);
  },
);

/** `any` outside of comments and texts. */
function countAny(code: string): number {
  const { tokens } = parse(code, { sourceType: "module", tokens: true, plugins: ["typescript"] });
  return (tokens ?? []).filter(({ type, value }) => type.label === "name" && value === "any").length;
}
