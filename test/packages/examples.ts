import { expect, setDefaultTimeout, test } from "bun:test";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runProgram } from "@dueday/sdk/tools/runProgram";
import {
  compile,
  dependenciesOf,
  folder,
  installByNpm,
  NODE,
  nodeOf,
  ROOT,
  TIMEOUT_MS,
  tarballs,
  writeManifest,
} from "./packed";

const EXAMPLES = ["subscribe", "keeper", "merchantBackend", "monthlySubscription.test"].map(
  (name) => `examples/${name}.ts`,
);
/** `membersOnly` receives webhooks by `Bun.serve`. */
const EXAMPLES_FOR_BUN = [...EXAMPLES, "examples/membersOnly.test.ts"];
const EXAMPLE_TEST = "test/e2e/examples.test.ts";
const CONSUMERS = ["consumer.ts", "consumerReact.ts"];
const OF_THE_REGISTRY = [
  "viem",
  "react",
  "wagmi",
  "@tanstack/react-query",
  "@types/react",
  "standardwebhooks",
  "typescript",
];
const SHARED = [...OF_THE_REGISTRY, ...Object.keys(tarballs)];

/** Copies the examples, their test and the SDK's consumers, and nothing else of this workspace, into a new project. */
async function copyExamples(name: string, paths: string[], adapt = (text: string) => text): Promise<string> {
  const project = join(folder, name);
  for (const path of [...paths, EXAMPLE_TEST]) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), adapt(await readFile(join(ROOT, path), "utf8")));
  }
  for (const path of CONSUMERS) await cp(join(ROOT, "packages/sdk/test/consumer", path), join(project, path));
  return project;
}

/** With the strictest settings, by the project's own compiler. Node's resolution wants endings that the example's test lacks. */
async function checkTypes(project: string, examples: string[], types: string[]): Promise<void> {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: "ESNext",
    skipLibCheck: false,
  };
  const shared = { ...strict, lib: ["ESNext", "DOM", "DOM.AsyncIterable"], types };
  const ofNode = [...CONSUMERS, ...examples];
  const bundler = { module: "Preserve", moduleResolution: "bundler" };
  await compile(project, { compilerOptions: { ...shared, ...bundler }, files: [...ofNode, EXAMPLE_TEST] });
  const nodeNext = { module: "NodeNext", moduleResolution: "NodeNext" };
  await compile(project, { compilerOptions: { ...shared, ...nodeNext }, files: ofNode });
}

setDefaultTimeout(TIMEOUT_MS);

test("npm and Node 22: the types fit under bundler and nodenext, and vitest runs the examples against the test kit", async () => {
  const forVitest = (text: string) =>
    text.replace('"bun:test"', '"vitest"').replace(/setDefaultTimeout(?:, |.*;)/g, "");
  const project = await copyExamples("with-npm", EXAMPLES, forVitest);
  await installByNpm(project, dependenciesOf([...SHARED, NODE, "vitest", "@types/node"]));
  await checkTypes(project, EXAMPLES, ["node"]);
  const node = nodeOf(project);
  const limits = ["--testTimeout=120000", "--hookTimeout=120000"];
  console.info(await runProgram([node, "node_modules/vitest/vitest.mjs", "run", "--no-color", ...limits], project));

  const { version } = await Bun.file(join(ROOT, "packages/cli/package.json")).json();
  const dueday = [node, "node_modules/@dueday/cli/dist/cli.js", "--version"];
  expect((await runProgram(dueday, project)).trim()).toBe(version);
  const command = [node, "node_modules/@dueday/testkit/dist/cli.js", "--json", "--scenario", "empty"];
  // Its input is empty, so it ends as soon as it has started.
  const facts = JSON.parse(await runProgram(command, project));
  expect(facts).toMatchObject({ chainId: 31337, subscriptions: {} });
});

test("Bun: the types fit under bundler and nodenext, and bun test runs the examples against the test kit", async () => {
  const project = await copyExamples("with-bun", EXAMPLES_FOR_BUN);
  await writeManifest(project, dependenciesOf([...SHARED, "bun-types"]));
  await runProgram([process.execPath, "install"], project);
  await checkTypes(project, EXAMPLES_FOR_BUN, ["bun-types"]);
  await runProgram([process.execPath, "test", "--timeout=120000"], project);
});
