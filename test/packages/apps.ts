import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { runProgram } from "@dueday/sdk/tools/runProgram";
import { ensureBrowser, openBrowser } from "@dueday/test-support/openBrowser";
import { compile, dependenciesOf, folder, installByNpm, NODE, nodeOf, TIMEOUT_MS } from "./packed";

const APPS = join(import.meta.dir, "apps");

/**
 * One demo for all apps, from the source: the packed test kit starts its own in the tests of the examples. Not started in a test, because a
 * test ends the programs that it started.
 */
const { api, devnet, stop } = await startDemoApi({ CORS_ORIGINS: "*" });
afterAll(stop);

const HOOKS = ["react", "react-dom", "@types/react", "@types/react-dom", "wagmi", "@tanstack/react-query"] as const;
const APP_PACKAGES = {
  fastify: [NODE, "vitest", "@types/node", "fastify", "standardwebhooks", "@dueday/testkit"],
  next: [...HOOKS, NODE, "next", "@types/node"],
  vite: [...HOOKS, "vite"],
  deno: ["deno"],
  worker: [NODE, "miniflare", "@cloudflare/workers-types"],
} as const;

/** The project of an app: its files, the packed packages and its own packages, installed by npm. */
async function installApp(name: keyof typeof APP_PACKAGES): Promise<string> {
  const project = join(folder, `app-${name}`);
  await cp(join(APPS, name), project, { recursive: true });
  await installByNpm(project, dependenciesOf([...APP_PACKAGES[name], "typescript", "viem", "@dueday/sdk"]));
  return project;
}

/** Checks a project with its own compiler. */
async function checkApp(project: string, files: string[], options: object): Promise<void> {
  const shared = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: "ESNext", skipLibCheck: true };
  await compile(project, { compilerOptions: { ...shared, ...options }, files });
}

const NODE_NEXT = { module: "NodeNext", moduleResolution: "NodeNext", lib: ["ESNext", "DOM", "DOM.AsyncIterable"] };
const FOR_BROWSERS = { module: "Preserve", moduleResolution: "bundler", jsx: "react-jsx", lib: ["ESNext", "DOM"] };

setDefaultTimeout(TIMEOUT_MS);

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
  // Next.js writes its own tsconfig.json, and checks the types again.
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
    const address = await readAddress(server.stdout);
    const page = await (await fetch(address)).text();
    expect(page).toMatch(/<h1>[1-9]\d*(<!-- -->)? plans are open/);
    expect(page).toContain("Subscribe");
  } finally {
    server.kill();
    await server.exited;
  }
});

/** The first address that a server prints. Everything is read to the end: a server whose output is closed can't go on. */
function readAddress(output: ReadableStream<Uint8Array>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  (async () => {
    let text = "";
    for await (const part of output.pipeThrough(new TextDecoderStream())) {
      text += part;
      const [address] = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    }
    reject(new Error(`the app did not start:\n${text}`));
  })();
  return promise;
}

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
