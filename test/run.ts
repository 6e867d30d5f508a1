import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { ensureProgram, programs } from "@dueday/test-support/ensureProgram";
import { startTestCluster } from "@dueday/test-support/testCluster";
import { type FailedTest, failedTests } from "./failedTests";
import { areUnsteady, unsteadyTests } from "./unsteadyTests";

/**
 * Runs test files side by side on one PostgreSQL cluster: `bun run test [arguments of bun test]`. Ends with the exit code of
 * `bun test`, after a list of the slowest files. With TEST_REDIS_URL the files run one after the other: they would share that
 * server, and otherwise each starts its own, which takes 15 ms.
 *
 * Where a few tests of a whole run fail, their files run once more, alone. If all tests in them pass then, each that had failed is printed
 * as unsteady, in a line that CI repeats at its end: such a test, or what it tests, depends on the speed of the machine. The run has failed,
 * unless each is listed in `unsteadyTests.ts`.
 */

const ROOT = join(import.meta.dir, "..");
/** Milliseconds of each file in the last run here; `bun test` starts the slowest first. */
const TIMINGS = join(ROOT, "node_modules/.cache/dueday/test-timings.json");
/** Stands in for it on a fresh clone. */
const FIRST_TIMINGS = join(ROOT, "test/timings.json");
/**
 * Many tests wait for a node, a process or a timer, so two files for each core keep the machine busy. Three are not faster. Loading the
 * modules for each file takes a tenth of the CPU time; with `--no-isolate`, which saves it, a test that times out fails other files too.
 */
const FILES_PER_CORE = 2;
const SLOWEST = 12;
/** A file runs for seconds: the last compiler of its code takes more processor time than it saves. */
const WITHOUT_LAST_COMPILER = { BUN_JSC_useFTLJIT: "0" };
/** Longer than a test of a normal run takes, even on a machine that is busy with something else. */
const SILENCE_MS = 6 * 60_000;
const STALLED = "stalled";
/** More failures than this are not run again. */
const MAX_UNSTEADY = 5;
/**
 * Runs the named files, or else all files whose number of cases depends on `testDepth`, with at least ten times as many cases of random tests and
 * all cases of others.
 */
const DEEP = "--deep";
const DEEP_FACTOR = 10;

const argv = process.argv.slice(2);
const isDeep = argv.includes(DEEP);
const given = argv.filter((arg) => arg !== DEEP);
const isWholeRun = given.every((arg) => arg.startsWith("-"));
const args = isDeep && isWholeRun ? [...given, ...(await randomTests())] : given;
const silenceMs = isDeep ? SILENCE_MS * DEEP_FACTOR : SILENCE_MS;
// Here and not in the files, which would install at the same time.
if (isWholeRun) for (const program of Object.values(programs)) ensureProgram(program);

if (!(await Bun.file(TIMINGS).exists())) {
  await mkdir(dirname(TIMINGS), { recursive: true });
  await Bun.write(TIMINGS, Bun.file(FIRST_TIMINGS));
}
const cluster = await startTestCluster();
let tests: Bun.Subprocess | undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, async () => {
    tests?.kill("SIGKILL");
    await cluster.stop();
    process.exit(1);
  });
}

const parallel = process.env.TEST_REDIS_URL ? 1 : FILES_PER_CORE * Math.min(2, availableParallelism());
const flags = [`--parallel=${parallel}`, `--timings=${TIMINGS}`, "--update-timings"];
let { code, output } = await run([...flags, ...args]);
// bun test --parallel may stand still after its last file (oven-sh/bun#39987).
if (code === STALLED) {
  console.error(`bun test printed nothing for ${silenceMs / 60_000} minutes and was stopped; running the tests again`);
  ({ code, output } = await run([...flags, ...args]));
}
if (code === 1 && isWholeRun && !isDeep) code = await runAlone(failedTests(output) ?? []);
await cluster.stop();
if (isWholeRun) await printSlowest();
process.exit(code === STALLED ? 1 : code);

/** Runs the files of a few failed tests by themselves. Returns 0 where every test in them passes, and each that failed before is listed. */
async function runAlone(failed: readonly FailedTest[]): Promise<number> {
  if (failed.length === 0 || failed.length > MAX_UNSTEADY) return 1;
  console.error(`\nrunning the files of ${failed.length} failed tests again, alone`);
  const files = new Set(failed.map(({ file }) => `./${file}`));
  const { code } = await run(["--parallel=1", ...files]);
  if (code !== 0) return 1;
  for (const { file, title } of failed)
    console.error(`unsteady: ${title} (${file}) failed beside others, passed alone`);
  return areUnsteady(failed, unsteadyTests) ? 0 : 1;
}

async function run(testArgs: readonly string[]): Promise<{ code: number | typeof STALLED; output: string }> {
  const child = Bun.spawn([process.execPath, "--no-orphans", "test", "--timeout=180000", ...testArgs], {
    cwd: ROOT,
    env: {
      ...process.env,
      TEST_DATABASE_URL: cluster.url,
      ...(isWholeRun ? { TEST_NO_INSTALL: "1" } : {}),
      ...(isDeep ? { TEST_DEPTH: String(DEEP_FACTOR) } : WITHOUT_LAST_COMPILER),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  tests = child;
  let heardAt = performance.now();
  const chunks: Uint8Array[] = [];
  const forward = async (from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream) => {
    for await (const chunk of from) {
      heardAt = performance.now();
      chunks.push(chunk);
      to.write(chunk);
    }
  };
  const forwarded = Promise.all([forward(child.stdout, process.stdout), forward(child.stderr, process.stderr)]);
  let isStalled = false;
  const watch = setInterval(() => {
    if (performance.now() - heardAt < silenceMs) return;
    isStalled = true;
    child.kill("SIGKILL");
  }, 1_000);
  const exitCode = await child.exited;
  clearInterval(watch);
  // A process that outlives the tests would hold the pipes open.
  await Promise.race([forwarded, Bun.sleep(1_000)]);
  return { code: isStalled ? STALLED : exitCode, output: Buffer.concat(chunks).toString() };
}

/** The test files whose number of cases depends on `testDepth`. */
async function randomTests(): Promise<string[]> {
  const files = await Array.fromAsync(new Bun.Glob("{apps,packages,test}/**/*.test.ts").scan({ cwd: ROOT }));
  const texts = await Promise.all(files.map((file) => Bun.file(join(ROOT, file)).text()));
  return files.filter((file, index) => !file.includes("node_modules") && texts[index]?.includes("testDepth"));
}

async function printSlowest(): Promise<void> {
  const { files }: { files: Record<string, number> } = await Bun.file(TIMINGS).json();
  const slowest = Object.entries(files).toSorted(([, a], [, b]) => b - a);
  console.log("\nslowest files, in seconds:");
  for (const [file, milliseconds] of slowest.slice(0, SLOWEST)) {
    console.log(`${(milliseconds / 1_000).toFixed(1).padStart(7)}  ${file}`);
  }
}
