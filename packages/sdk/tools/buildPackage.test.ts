import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { operations } from "@dueday/api/operations/operations";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { findPackageFaults, packPackage } from "@dueday/sdk/tools/packPackage";
import { runProgram } from "@dueday/sdk/tools/runProgram";
import { testDepth } from "@dueday/test-support/testDepth";
import { build } from "esbuild";
import { buildPackage } from "./buildPackage";
import { camelCase, pascalCase } from "./routesOfOperations";
import { exampleOf } from "./writeTypes";

const SDK = join(import.meta.dir, "..");
const ROOT = join(SDK, "../..");
const NODE = `node-${process.platform}-${process.arch}`;
const NODE_VERSION = "22.23.3";
// Here, not in the group that uses it: its database is dropped at the end of what is running when it is made.
const { api, devnet, stop } = await startDemoApi();
afterAll(stop);
const folder = await mkdtemp(join(tmpdir(), "dueday-sdk-"));
const packed = join(folder, "package");
let tarball = "";

beforeAll(async () => {
  await buildPackage(packed);
  tarball = await packPackage(packed, folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function declarations(): Promise<Map<string, string>> {
  const names = await readdir(join(packed, "dist"), { recursive: true });
  const files = names.filter((name) => name.endsWith(".d.ts"));
  return new Map(
    await Promise.all(files.map(async (name) => [name, await readFile(join(packed, "dist", name), "utf8")] as const)),
  );
}

describe("the declarations", () => {
  test("name no package of this workspace, no schema library, and nothing of type any", async () => {
    for (const [name, text] of await declarations()) {
      const code = text
        .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")
        .replace(/"[^"]*"/g, (quoted) => (quoted.includes("@dueday") ? quoted : '""'));
      expect([name, code.match(/@dueday\/[\w/]*|\bany\b/g)]).toEqual([name, null]);
      const imported = [...text.matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, path = ""]) => path);
      const foreign = imported.filter(
        (path) => !path.startsWith(".") && !/^(viem|react|wagmi|@tanstack\/react-query)(\/|$)/.test(path),
      );
      expect([name, foreign]).toEqual([name, []]);
    }
  });

  test("have the example, the errors and the named types of each method", async () => {
    const types = (await declarations()).get("operationTypes.d.ts") ?? "";
    for (const operation of operations) {
      const type = pascalCase(operation.name);
      expect(types).toContain(exampleOf(operation).replace(/^/gm, " * "));
      expect(types).toContain(`@throws {${type}Error}`);
      for (const kind of ["Input", "Answer", "Error"]) expect(types).toContain(`export type ${type}${kind} = `);
    }
  });

  test("that were written out from the schemas are the inferred types", async () => {
    const program = `
      import type * as Written from ${JSON.stringify(join(packed, "dist/operationTypes"))};
      import type * as Inferred from ${JSON.stringify(join(SDK, "src/operationTypes"))};
      import type { DuedayMethod } from ${JSON.stringify(join(packed, "dist/duedayMethod"))};
      type Io = { input: object; output: object };
      type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
      type Op<N extends keyof Inferred.Operations> = [Inferred.Operations[N], Written.Operations[N]];
      type Differing = { [N in keyof Inferred.Operations]: Op<N> extends [infer A extends Io, infer B extends Io]
        ? Same<A["input"], B["input"]> extends true
          ? B["output"] extends A["output"]
            // Its names of events are a list at run time, so the inferred type has any name.
            ? A["output"] extends B["output"] ? never : N extends "getAccountActivity" ? never : N
            : N
          : N
        : N }[keyof Inferred.Operations];
      // The message names them.
      export const none: never = null as unknown as Differing;
      export const names: Same<Inferred.OperationName, Written.OperationName> = true;
      type Method<N extends keyof Written.Operations> =
        DuedayMethod<Written.Operations[N]["input"], Written.Operations[N]["output"]>;
      export const methods: Same<Written.DuedayMethods, { [N in Written.OperationName]: Method<N> }> = true;
      export const codes: Same<Inferred.ErrorCode, Written.ErrorCode> = true;
      export const events: Same<Inferred.DuedayEvent, Written.DuedayEvent> = true;
      export const tests: Same<Inferred.WebhookTest, Written.WebhookTest> = true;
      export const types: Same<Inferred.EventType, Written.EventType> = true;
      export const faults: Same<[Inferred.Issue, Inferred.Revert], [Written.Issue, Written.Revert]> = true;
    `;
    await writeFile(join(folder, "same.ts"), program);
    const config = {
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { types: [join(ROOT, "node_modules/bun-types")] },
      files: ["same.ts"],
      include: [],
    };
    await writeFile(join(folder, "tsconfig.same.json"), JSON.stringify(config));
    await runProgram(
      [process.execPath, "x", "tsc", "--singleThreaded", "-p", join(folder, "tsconfig.same.json")],
      ROOT,
    );
  });
});

/** A program in which each example of a method has the types that the declarations name for it. */
function examplesProgram(): string {
  const functions = operations.map((operation) => {
    const [method, type] = [camelCase(operation.name), pascalCase(operation.name)];
    return [
      `export async function ${method}(): Promise<void> {`,
      exampleOf(operation),
      `const named: (input: Sdk.${type}Input) => Promise<Sdk.${type}Answer> = dueday.${method};`,
      `const failure: Sdk.DuedayErrorCode = (null as unknown as Sdk.${type}Error).code;`,
      "}",
    ].join("\n");
  });
  return `import type * as Sdk from "@dueday/sdk";\ndeclare const dueday: Sdk.Dueday;\n${functions.join("\n")}\n`;
}

describe("the packed package", () => {
  test("is clean for publint and are-the-types-wrong", async () => {
    expect(await findPackageFaults(packed, tarball)).toEqual([]);
  });

  test("is small: HTTP under 12 kB gzip, local under 78 kB, React under 8 kB on top of HTTP, the gate under 8 kB, viem external", async () => {
    const sizeOf = async (...names: string[]) => {
      const contents = names.map((name) => `export * from "./dist/${name}.js";`).join("\n");
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: packed },
        bundle: true,
        minify: true,
        format: "esm",
        write: false,
        external: ["viem", "viem/*", "react", "wagmi", "wagmi/*", "@tanstack/react-query"],
        nodePaths: [join(SDK, "node_modules")],
      });
      return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
    };
    const [http, local, both, actions, gate] = [
      await sizeOf("index"),
      await sizeOf("local"),
      await sizeOf("index", "react"),
      await sizeOf("actions"),
      await sizeOf("gate"),
    ];
    console.info(
      `gzip bytes: . ${http}, /local ${local}, /react on top ${both - http}, /actions ${actions}, /gate ${gate}`,
    );
    expect(http).toBeLessThan(12_000);
    expect(local).toBeLessThan(78_000);
    expect(both - http).toBeLessThan(8_000);
    expect(gate).toBeLessThan(8_000);
  });
});

describe("installed into an empty project", () => {
  const programs = join(SDK, "test/consumer");
  const checked = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: "ESNext",
    skipLibCheck: true,
  };

  async function createProject(name: string, extra: object = {}): Promise<string> {
    const project = join(folder, name);
    await mkdir(project, { recursive: true });
    await cp(programs, project, { recursive: true });
    const manifest = {
      name,
      private: true,
      type: "module",
      dependencies: { viem: "2.57.1", "@dueday/sdk": `file:${tarball}`, ...extra },
    };
    await writeFile(join(project, "package.json"), JSON.stringify(manifest));
    return project;
  }

  async function expectRuns(runtime: string, project: string): Promise<void> {
    const printed = await runProgram([runtime, "run.mjs", api.url, devnet.url, devnet.contract], project);
    const { plans, ...rest } = JSON.parse(printed);
    expect(rest).toEqual({ results: 1, code: "VALIDATION_ERROR", webhook: "MISSING_HEADER" });
    expect(plans[0]).toEqual(plans[1]);
    expect(plans[0].expectedTransactions).toBeGreaterThan(1);
  }

  // npm takes as long as the rest of this file.
  if (testDepth > 1) {
    test("by npm: type-checks under nodenext, and runs on Node 22", async () => {
      const project = await createProject("with-npm", { [NODE]: NODE_VERSION });
      await runProgram(["npm", "install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"], project);
      const compilerOptions = {
        ...checked,
        module: "NodeNext",
        moduleResolution: "NodeNext",
        lib: ["ESNext", "DOM", "DOM.AsyncIterable"],
        types: [],
      };
      await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
      await runProgram([process.execPath, "x", "tsc", "--singleThreaded", "-p", join(project, "tsconfig.json")], ROOT);
      await expectRuns(join(project, "node_modules", NODE, "bin/node"), project);
    });
  }

  test("by Bun: type-checks under bundler with its hooks and the example of each method, and runs", async () => {
    const project = await createProject("with-bun");
    await writeFile(join(project, "examples.ts"), examplesProgram());
    await runProgram([process.execPath, "install", "--linker", "hoisted"], project);
    for (const name of ["react", "wagmi", "@tanstack/react-query", "@types/react"]) {
      const target = join(project, "node_modules", name);
      await mkdir(join(target, ".."), { recursive: true });
      await symlink(join(SDK, "node_modules", name), target);
    }
    const compilerOptions = {
      ...checked,
      module: "Preserve",
      moduleResolution: "bundler",
      lib: ["ESNext", "DOM"],
      types: [],
    };
    await writeFile(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["consumer.ts", "consumerReact.ts", "examples.ts"] }),
    );
    await runProgram([process.execPath, "x", "tsc", "--singleThreaded", "-p", join(project, "tsconfig.json")], ROOT);
    await expectRuns(process.execPath, project);
  });
});
