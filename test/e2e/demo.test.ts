import { afterAll, expect, test } from "bun:test";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { Value } from "@sinclair/typebox/value";
import { createPublicClient, getAddress, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { startProcess, type TestProcess } from "./startProcess";

const started: TestProcess[] = [];

afterAll(async () => {
  for (const each of started.toReversed()) await each.dispose();
});

async function start(...parameters: Parameters<typeof startProcess>): Promise<TestProcess> {
  const process = await startProcess(...parameters);
  started.push(process);
  return process;
}

async function readPlan(apiUrl: string, query = ""): Promise<RemitReadiness> {
  const response = await fetch(`${apiUrl}/remit/readiness${query}`);
  expect(response.status).toBe(200);
  return Value.Parse(RemitReadiness, await response.json());
}

function childrenOf(pid: number): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(pid)]);
  return stdout.toString().trim().split(/\s+/).map(Number);
}

function isRunning(pid: number): boolean {
  const { stdout } = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)]);
  const state = stdout.toString().trim();
  return state !== "" && !state.startsWith("Z");
}

test("the demo serves a plan, the keeper settles exactly that, and Ctrl-C leaves nothing behind", async () => {
  const demo = await start("apps/local/src/demo.ts", { env: { PORT: "0" } });
  const [, seconds] = await demo.printed(/served ([\d.]+) s after the start/);
  const [, apiUrl = ""] = await demo.printed(/API +(http\S+)/);
  const [, key = ""] = await demo.printed(/KEEPER_PRIVATE_KEY=(0x\w+)/);
  const [, rpcUrl = "", contract = ""] = await demo.printed(/--rpc (http\S+) --contract (0x\w+)/);
  // Checked by its form in the pattern above.
  const keeper = privateKeyToAccount(key as Hex).address;
  const served = await readPlan(apiUrl);
  const forKeeper = await readPlan(apiUrl, `?from=${keeper}`);
  expect(served.ready).toBe(true);
  expect(served.days.filter(({ payments }) => payments > 0).length).toBeGreaterThanOrEqual(5);
  expect(served.expectedFailures).toBeGreaterThan(0);
  // What worker and API send is counted together.
  const status = await (await fetch(`${apiUrl}/status`)).text();
  expect(status).toContain('"purpose":"scan"');

  const args = ["--api", apiUrl, "--rpc", rpcUrl, "--contract", contract, "--once"];
  const keeping = await start("apps/keeper/src/main.ts", { args, env: { KEEPER_PRIVATE_KEY: key } });
  const exitCode = await keeping.exited();
  const output = await keeping.output();
  expect(output).toContain("caught up");
  expect(exitCode).toBe(0);

  const client = createPublicClient({ transport: http(rpcUrl) });
  const hashes = [...output.matchAll(/"msg":"\d+\/\d+ +(0x[0-9a-f]{64})/g)].map(([, hash]) => hash as Hex); // by the pattern
  const settled = [];
  for (const hash of hashes) {
    const { logs, gasUsed } = await client.getTransactionReceipt({ hash });
    settled.push({ ...parseRemitLogs(logs, { contract: getAddress(contract), caller: keeper }), gasUsed });
  }
  const facts = settled.map(({ closesDays, payments, failures, callerFees }) => ({
    closesDays,
    payments,
    failures,
    callerFees: callerFees.map(({ token, units }) => [token, units.toString()]),
  }));
  expect<unknown>(facts).toEqual(planFacts(served));
  expect<unknown>(facts).toEqual(planFacts(forKeeper));
  const gasUsed = settled.map((transaction) => transaction.gasUsed.toString());
  expect<unknown>(gasUsed).toEqual(forKeeper.plan.transactions.map((transaction) => transaction.gasUsed));

  // The keeper may have had its last plan live, before the scan that makes the snapshot.
  const after = await readPlan(apiUrl, `?minBlock=${await client.getBlockNumber()}`);
  expect(after).toMatchObject({ ready: false, reason: "caught_up", caughtUp: true, totalPayments: 0 });

  const children = childrenOf(demo.pid);
  expect(children.length).toBeGreaterThanOrEqual(2);
  demo.kill("SIGINT");
  expect(await demo.exited()).toBe(0);
  expect(children.filter(isRunning)).toEqual([]);
  console.log(`demo: plan served in ${seconds} s; ${settled.length} transactions settled as planned`);
});

function planFacts(plan: RemitReadiness) {
  return plan.plan.transactions.map(({ closesDays, payments, failures, callerFees }) => ({
    closesDays,
    payments,
    failures,
    callerFees: callerFees.map(({ token, amountRaw }) => [token, amountRaw]),
  }));
}

test("an option that the demo does not have ends it with one line that names what it has", async () => {
  const demo = Bun.spawn([process.execPath, "--no-orphans", "apps/local/src/demo.ts", "--jsno"], { stderr: "pipe" });
  const [line, ...rest] = (await new Response(demo.stderr).text()).trimEnd().split("\n");
  expect([await demo.exited, rest]).toEqual([1, []]);
  expect(line).toMatch(/--jsno.*the only option is --json/);
});
