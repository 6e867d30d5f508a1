import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@dueday/test-support/waitUntil";

setDefaultTimeout(120_000);

const SOURCE = join(import.meta.dir, "..");
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A program that holds a stack, with temporary files in a separate folder. It prints a line when the stack runs. */
async function start(program: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "dueday-held-"));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  // A server that runs as another user must be able to enter it.
  const { BUN_FEATURE_FLAG_NO_ORPHANS: _, ...env } = process.env;
  const child = Bun.spawn([process.execPath, ...program], {
    env: { ...env, TMPDIR: folder },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  cleanUps.push(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return { child, folder, line: new TextDecoder().decode(value) };
}

/** Arguments of the running processes that descend from this one, or work on files in the folder. */
function processesOf(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    const { stdout } = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)]);
    const state = stdout.toString().trim();
    return state !== "" && !state.startsWith("Z");
  });
}

function descendantsOf(pid: number): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(pid)]);
  const children = stdout.toString().trim().split(/\s+/).filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

test("a test process that is killed with SIGKILL leaves no process and no file", async () => {
  const { child, folder } = await start([join(SOURCE, "test/hold.ts")]);
  const pids = descendantsOf(child.pid);
  // The service, its node, PostgreSQL and its helpers.
  expect(pids.length).toBeGreaterThanOrEqual(4);
  expect(await readdir(folder)).not.toEqual([]);
  child.kill("SIGKILL");
  await child.exited;
  const since = performance.now();
  await waitUntil(
    "nothing is left",
    async () => processesOf(pids).length === 0 && (await readdir(folder)).length === 0,
  );
  console.info(`after SIGKILL, nothing is left in ${((performance.now() - since) / 1000).toFixed(1)} s`);
});

test("the command prints one line of JSON, and ends with everything when its input closes", async () => {
  const { child, folder, line } = await start([join(SOURCE, "src/cli.ts"), "--json", "--scenario", "empty"]);
  const facts: Record<string, unknown> = JSON.parse(line);
  expect(Object.keys(facts)).toEqual(["url", "rpcUrl", "chainId", "contract", "tokens", "wallets", "subscriptions"]);
  expect((await fetch(`${facts.url}/status`)).status).toBe(200);
  const pids = descendantsOf(child.pid);
  child.stdin.end();
  expect(await child.exited).toBe(0);
  expect([processesOf(pids), await readdir(folder)]).toEqual([[], []]);
});

test("the command names what is wrong in its arguments, and ends with code 1", async () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(SOURCE, "src/cli.ts"), "--set", "PORT"], {
    stdin: "ignore",
  });
  expect([exitCode, stderr.toString().trim()]).toEqual([1, "--set PORT: write NAME=VALUE, such as PORT=3000"]);
});
