import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { runProgram } from "@dueday/sdk/tools/runProgram";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { packRelease } from "../../ops/release/packRelease";
import manifest from "../../package.json";

/**
 * All packages as their users have them: packed, installed into empty projects outside this workspace, type-checked, and used by the
 * examples and by an app of each environment (`apps`), without a cast. It downloads about a gigabyte of packages: `bun run test:packages`.
 * What is quick of it, Node 22 and Bun, is in `bun run test` (`packages/sdk/tools/buildPackage.test.ts`).
 */
setDefaultTimeout(600_000);

const ROOT = join(import.meta.dir, "../..");
const NODE = `node-${process.platform}-${process.arch}`;
/** Packages that this workspace does not use itself. */
const versions = { [NODE]: "22.23.3", vitest: "4.1.12", "@types/node": "22.20.5" };
const OF_APPS = {
  next: "16.4.6",
  vite: "8.3.8",
  deno: "2.9.6",
  miniflare: "4.20260426.0",
  "@cloudflare/workers-types": "4.20260426.1",
} as const;
/** The oldest compiler, the last of each major version, and this workspace's own. */
const COMPILERS = ["5.2.2", "5.9.3", "6.0.3", manifest.workspaces.catalog.typescript] as const;
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

const APPS = join(import.meta.dir, "apps");

const folder = await mkdtemp(join(tmpdir(), "dueday-packages-"));
const tarballs: Record<string, string> = {};

beforeAll(async () => {
  for (const { name, tarball, bytes } of await packRelease(folder)) {
    console.info(`${name}: ${Math.ceil(bytes / 1024)} kB`);
    tarballs[name] = `file:${tarball}`;
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** One demo for all apps, from the source: the packed test kit starts its own in the tests of the examples. Not in a test, which ends its programs. */
const { api, devnet, stop } = await startDemoApi({ CORS_ORIGINS: "*" });
afterAll(stop);

/** The project of an app: its files, the packed packages and its own packages, installed by npm. */
async function installApp(name: keyof typeof APP_PACKAGES): Promise<string> {
  const project = join(folder, `app-${name}`);
  await cp(join(APPS, name), project, { recursive: true });
  const own = Object.fromEntries(APP_PACKAGES[name].map((each) => [each, versionOf(each)]));
  const dependencies = {
    ...own,
    typescript: catalog.typescript,
    viem: catalog.viem,
    "@dueday/sdk": tarballs["@dueday/sdk"],
  };
  await writeFile(join(project, "package.json"), JSON.stringify({ name, private: true, type: "module", dependencies }));
  await runProgram(["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"], project);
  return project;
}

const HOOKS = ["react", "react-dom", "@types/react", "@types/react-dom", "wagmi", "@tanstack/react-query"] as const;
const APP_PACKAGES = {
  fastify: [NODE, "vitest", "@types/node", "fastify", "standardwebhooks", "@dueday/testkit"],
  next: [...HOOKS, NODE, "next", "@types/node"],
  vite: [...HOOKS, "vite"],
  deno: ["deno"],
  worker: [NODE, "miniflare", "@cloudflare/workers-types"],
} as const;

function versionOf(name: string): string {
  const version = { ...catalog, ...versions, ...OF_APPS, ...tarballs }[name];
  if (version === undefined) throw new Error(`the version of ${name} is not known`);
  return version;
}

/** Checks a project with its own compiler. */
async function checkApp(project: string, files: string[], options: object): Promise<void> {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: "ESNext",
    skipLibCheck: true,
  };
  const config = { compilerOptions: { ...compilerOptions, ...options }, files };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
  await runProgram([process.execPath, "node_modules/typescript/bin/tsc", "-p", "."], project);
}

const nodeOf = (project: string) => join(project, "node_modules", NODE, "bin/node");
const NODE_NEXT = { module: "NodeNext", moduleResolution: "NodeNext", lib: ["ESNext", "DOM", "DOM.AsyncIterable"] };
const FOR_BROWSERS = { module: "Preserve", moduleResolution: "bundler", jsx: "react-jsx", lib: ["ESNext", "DOM"] };

test("the apps have no cast, no any and no suppression", async () => {
  const files = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(APPS)];
  expect(files.length).toBeGreaterThan(8);
  for (const file of files) {
    const text = await readFile(join(APPS, file), "utf8");
    expect([file, text.match(/\bas (?!const\b)\w+|\bany\b|@ts-|\w!\.|biome-ignore/g)]).toEqual([file, null]);
  }
});

test("Node 22 with Fastify: an article for those who pay, and signed webhooks, in vitest with the test kit", async () => {
  const project = await installApp("fastify");
  await checkApp(project, ["createShop.ts", "createShop.test.ts"], { ...NODE_NEXT, types: ["node"] });
  const vitest = [nodeOf(project), "node_modules/vitest/vitest.mjs", "run", "--no-color", "--testTimeout=120000"];
  console.info(await runProgram(vitest, project));
});

test("Next.js: a component of the server reads the service, those of the client have the hooks", async () => {
  const project = await installApp("next");
  const files = ["app/layout.tsx", "app/page.tsx"];
  await checkApp(project, files, { ...FOR_BROWSERS, types: ["node", "react"] });
  // Next.js keeps a tsconfig.json of its own, and checks the types again.
  await rm(join(project, "tsconfig.json"));
  const next = [nodeOf(project), "node_modules/next/dist/bin/next"];
  await runProgram([...next, "build"], project);
  const env = { ...process.env, DUEDAY_URL: api.url };
  const server = Bun.spawn([...next, "start", "--port", "0", "--hostname", "127.0.0.1"], {
    cwd: project,
    env,
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    let output = "";
    let address: string | undefined;
    for await (const part of server.stdout.pipeThrough(new TextDecoderStream())) {
      output += part;
      address = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(output)?.[0];
      if (address !== undefined) break;
    }
    if (address === undefined) throw new Error(`the app did not start:\n${output}`);
    const page = await (await fetch(address)).text();
    expect(page).toMatch(/<h1>[1-9]\d*(<!-- -->)? plans are open/);
    expect(page).toContain("Subscribe");
  } finally {
    server.kill();
    await server.exited;
  }
});

test("Vite with wagmi: the built page shows a plan and prepares a transaction, in Chromium", async () => {
  if (!ensureBrowser()) throw new Error("Chromium is missing");
  const project = await installApp("vite");
  await checkApp(project, ["src/main.tsx"], { ...FOR_BROWSERS, types: ["react"] });
  await runProgram([process.execPath, "node_modules/vite/bin/vite.js", "build"], project);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const { pathname } = new URL(url);
      return new Response(Bun.file(join(project, "dist", pathname === "/" ? "index.html" : pathname)));
    },
  });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${server.url.origin}/?service=${encodeURIComponent(api.url)}`);
    await page.locator("#calldata", { hasText: /^0x[0-9a-f]+$/ }).waitFor();
    // No wallet is connected: the one type of error names that.
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.locator("#error", { hasText: "WALLET_FAILED" }).waitFor();
  } finally {
    await browser.close();
    await server.stop(true);
  }
});

test("Deno: the types fit by deno check, and both clients and the stream of events run", async () => {
  const project = await installApp("deno");
  const deno = [join(project, "node_modules/.bin/deno")];
  await runProgram([...deno, "check", "--node-modules-dir=manual", "main.ts"], project);
  const run = [
    ...deno,
    "run",
    "--node-modules-dir=manual",
    "--allow-net",
    "--allow-env",
    "main.ts",
    api.url,
    devnet.url,
  ];
  expect(JSON.parse(await runProgram(run, project))).toEqual({ id: expect.stringMatching(/^0x[0-9a-f]{64}$/), seq: 1 });
});

test("workerd: a worker reads the service and refuses a webhook without a signature", async () => {
  const project = await installApp("worker");
  await checkApp(project, ["worker.ts"], {
    module: "Preserve",
    moduleResolution: "bundler",
    lib: ["ESNext"],
    types: ["@cloudflare/workers-types"],
  });
  const built = await Bun.build({
    entrypoints: [join(project, "worker.ts")],
    outdir: project,
    target: "browser",
    conditions: ["workerd"],
  });
  expect(built.success).toBe(true);
  const printed = await runProgram([nodeOf(project), "run.mjs", api.url], project);
  expect(JSON.parse(printed)).toEqual({
    plans: expect.arrayContaining([expect.stringMatching(/^0x[0-9a-f]{64}$/)]),
    unsigned: [400, "MISSING_HEADER"],
  });
});

test("TypeScript 5.2 to 7: the types fit under node16, nodenext and bundler, with exactOptionalPropertyTypes", async () => {
  const project = join(folder, "compilers");
  await cp(join(ROOT, "packages/sdk/test/consumer"), project, { recursive: true });
  const compilers = Object.fromEntries(
    COMPILERS.map((version) => [`typescript-${version}`, `npm:typescript@${version}`]),
  );
  const dependencies = {
    ...compilers,
    viem: catalog.viem,
    "@dueday/sdk": tarballs["@dueday/sdk"],
    [NODE]: versions[NODE],
  };
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  await runProgram(["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"], project);
  const shared = { strict: true, exactOptionalPropertyTypes: true, target: "ES2022", skipLibCheck: true, types: [] };
  const lib = ["ESNext", "DOM", "DOM.Iterable"];
  const compile = async (version: string, compilerOptions: object, files: string[]) => {
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    await runProgram([process.execPath, `node_modules/typescript-${version}/bin/tsc`, "-p", "."], project);
  };
  for (const version of COMPILERS) {
    for (const [module, moduleResolution] of [
      ["Node16", "Node16"],
      ["NodeNext", "NodeNext"],
      ["ESNext", "bundler"],
    ])
      await compile(version, { ...shared, lib, module, moduleResolution, noEmit: true }, ["consumer.ts"]);
  }
  // CommonJS, as the README says: nodenext from 5.8 on, and Node 22 runs what is written.
  const commonJs = { ...shared, lib, module: "NodeNext", moduleResolution: "NodeNext", outDir: "written" };
  await compile("5.9.3", commonJs, ["require.cts"]);
  expect(await runProgram([nodeOf(project), "written/require.cjs"], project)).toBe("function\n");
});

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
    const command = new RegExp(
      `bun run release .*\\n *npm install .*<clone>/build/${name.slice(1).replace("/", "-")}\\.tgz`,
    );
    expect([name, command.test(readme)]).toEqual([name, true]);
  }
});
