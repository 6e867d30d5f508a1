import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";

const ROOT = join(import.meta.dir, "..", "..");
/** Monday, 21 September 2026, in the afternoon: what is due does not depend on the time of the test. */
const NOW = 1_790_000_000;
const cleanUps: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

test("the compiled keeper settles a backlog with nothing on its PATH, from an empty folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "dueday-compiled-"));
  cleanUps.push(() => rm(folder, { recursive: true }));
  const program = join(folder, "keeper");
  const compiled = spawnSync(process.execPath, [join(ROOT, "apps/keeper/tools/compile.ts"), program], {
    encoding: "utf8",
  });
  expect(compiled.stderr).toBe("");
  expect(compiled.stdout).toMatch(/: \d+ MiB, starts in \d+ ms/);
  console.log(compiled.stdout.trim().replace(folder, ""));
  expect((await stat(program)).size).toBeLessThan(200 * 2 ** 20);

  const devnet = await startDevnet({ scenario: demo, now: NOW });
  cleanUps.push(() => devnet.stop());
  const args = ["--direct", "--rpc", devnet.url, "--contract", devnet.contract, "--once", "--jitter", "0"];
  const env = { KEEPER_PRIVATE_KEY: devnet.keeper.privateKey, PATH: "/nowhere" };
  const keeper = Bun.spawn([program, ...args], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(keeper.stdout).text(), new Response(keeper.stderr).text()]);
  expect({ code: await keeper.exited, errors }).toEqual({ code: 0, errors: "" });
  expect(output).toContain("87 payments (7 failed) in 12 transactions");
}, 300_000);
