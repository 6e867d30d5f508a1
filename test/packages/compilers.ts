import { expect, setDefaultTimeout, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "@dueday/sdk/tools/runProgram";
import { catalog, compile, dependenciesOf, folder, installByNpm, NODE, nodeOf, ROOT, TIMEOUT_MS } from "./packed";

/** The oldest compiler, the last of each major version, and this workspace's own. */
const COMPILERS = ["5.2.2", "5.9.3", "6.0.3", catalog.typescript] as const;

setDefaultTimeout(TIMEOUT_MS);

test("TypeScript 5.2 to 7: the types fit under node16, nodenext and bundler, with exactOptionalPropertyTypes", async () => {
  const project = join(folder, "compilers");
  await cp(join(ROOT, "packages/sdk/test/consumer"), project, { recursive: true });
  const compilers = COMPILERS.map((version) => [`typescript-${version}`, `npm:typescript@${version}`]);
  await installByNpm(project, { ...Object.fromEntries(compilers), ...dependenciesOf(["viem", "@dueday/sdk", NODE]) });
  const shared = { strict: true, exactOptionalPropertyTypes: true, target: "ES2022", skipLibCheck: true, types: [] };
  const lib = ["ESNext", "DOM", "DOM.Iterable"];
  const compileBy = (version: string, compilerOptions: object, files: string[]) =>
    compile(project, { compilerOptions, files }, `typescript-${version}`);
  for (const version of COMPILERS) {
    for (const [module, moduleResolution] of [
      ["Node16", "Node16"],
      ["NodeNext", "NodeNext"],
      ["ESNext", "bundler"],
    ])
      await compileBy(version, { ...shared, lib, module, moduleResolution, noEmit: true }, ["consumer.ts"]);
  }
  // CommonJS, as the README says: nodenext from 5.8 on, and Node 22 runs what is written.
  const commonJs = { ...shared, lib, module: "NodeNext", moduleResolution: "NodeNext", outDir: "written" };
  await compileBy("5.9.3", commonJs, ["require.cts"]);
  expect(await runProgram([nodeOf(project), "written/require.cjs"], project)).toBe("function\n");
});
