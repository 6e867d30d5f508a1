import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runProgram } from "@dueday/sdk/tools/runProgram";
import { packRelease } from "../../ops/release/packRelease";
import manifest from "../../package.json";

/**
 * All packages as their users have them: packed, installed into empty projects outside this workspace, type-checked, and used by the
 * examples. It downloads a few hundred megabytes of packages: `bun run test:packages`. What is quick of it is in `bun run test`.
 */
setDefaultTimeout(600_000);

const ROOT = join(import.meta.dir, "../..");
const NODE = `node-${process.platform}-${process.arch}`;
/** Packages that this workspace does not use itself. */
const versions = { [NODE]: "22.23.3", vitest: "4.1.12", "@types/node": "22.20.5" };
const { catalog } = manifest.workspaces;
const SHARED = [
  ...(["viem", "react", "wagmi", "@tanstack/react-query"] as const),
  ...(["@types/react", "standardwebhooks", "typescript"] as const),
];
const EXAMPLES = ["subscribe", "keeper", "merchantBackend", "monthlySubscription.test"].map(
  (name) => `examples/${name}.ts`,
);
const EXAMPLE_TEST = "test/e2e/examples.test.ts";
const CONSUMERS = ["consumer.ts", "consumerReact.ts"];

const folder = await mkdtemp(join(tmpdir(), "dueday-packages-"));
const tarballs: Record<string, string> = {};

beforeAll(async () => {
  for (const { name, tarball, bytes } of await packRelease(folder)) {
    console.info(`${name}: ${Math.ceil(bytes / 1024)} kB`);
    tarballs[name] = `file:${tarball}`;
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A project that has nothing of this workspace but copies of the examples. */
async function createProject(name: string, own: Record<string, string>, adapt = (text: string) => text) {
  const project = join(folder, name);
  for (const path of [...EXAMPLES, EXAMPLE_TEST]) await write(path, adapt(await readFile(join(ROOT, path), "utf8")));
  for (const path of CONSUMERS) await cp(join(ROOT, "packages/sdk/test/consumer", path), join(project, path));
  const dependencies = { ...Object.fromEntries(SHARED.map((each) => [each, catalog[each]])), ...tarballs, ...own };
  await write("package.json", JSON.stringify({ name, private: true, type: "module", dependencies }));
  return { project, write };

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
}

type Project = Awaited<ReturnType<typeof createProject>>;

/** With the strictest settings, by the project's own compiler. Node's resolution wants endings that the example's test lacks. */
async function checkTypes({ project, write }: Project, types: string[]): Promise<void> {
  const shared = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: "ESNext",
    skipLibCheck: false,
  };
  const lib = ["ESNext", "DOM", "DOM.AsyncIterable"];
  for (const [module, moduleResolution, files] of [
    ["Preserve", "bundler", [...CONSUMERS, ...EXAMPLES, EXAMPLE_TEST]],
    ["NodeNext", "NodeNext", [...CONSUMERS, ...EXAMPLES]],
  ] as const) {
    const compilerOptions = { ...shared, lib, types, module, moduleResolution };
    await write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
    await runProgram([process.execPath, "node_modules/typescript/bin/tsc", "-p", "."], project);
  }
}

test("npm and Node 22: the types fit under bundler and nodenext, and vitest runs the examples against the test kit", async () => {
  const forVitest = (text: string) =>
    text.replace('"bun:test"', '"vitest"').replace(/setDefaultTimeout(?:, |.*;)/g, "");
  const created = await createProject("with-npm", versions, forVitest);
  const { project } = created;
  await runProgram(["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"], project);
  await checkTypes(created, ["node"]);
  const node = join(project, "node_modules", NODE, "bin/node");
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
  const created = await createProject("with-bun", { "bun-types": catalog["bun-types"] });
  await runProgram([process.execPath, "install"], created.project);
  await checkTypes(created, ["bun-types"]);
  await runProgram([process.execPath, "test", "--timeout=120000"], created.project);
});

test("the README of each package has the command that installs it from a clone", async () => {
  for (const name of Object.keys(tarballs)) {
    const readme = await readFile(join(ROOT, "packages", name.replace("@dueday/", ""), "README.md"), "utf8");
    const command = new RegExp(`bun run release && npm install .*\\./build/${name.slice(1).replace("/", "-")}\\.tgz`);
    expect([name, command.test(readme)]).toEqual([name, true]);
  }
});
