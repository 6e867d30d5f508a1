import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { demo } from "@dueday/devnet/scenarios/demo";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { sealKeystore } from "@dueday/test-support/sealKeystore";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startProcess, type TestProcess } from "./startProcess";

const MAIN = "apps/keeper/src/main.ts";
const PASSWORD = "the-password-of-a-test";
/** Monday, 21 September 2026, in the afternoon: what is due does not depend on the time of the test. */
const NOW = 1_790_000_000;

const folder = await mkdtemp(join(tmpdir(), "dueday-keeper-"));
const cleanUps: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true })];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function startChain(blockTimeMs?: number): Promise<Devnet> {
  const block = blockTimeMs === undefined ? {} : { blockTimeMs };
  const devnet = await startDevnet({ scenario: demo, now: NOW, ...block });
  cleanUps.push(() => devnet.stop());
  return devnet;
}

async function startKeeper(args: string[], env: Record<string, string> = {}): Promise<TestProcess> {
  const keeper = await startProcess(MAIN, { args, env });
  cleanUps.push(() => keeper.dispose());
  return keeper;
}

async function writeSecret(name: string, content: string, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await Bun.write(path, content);
  await chmod(path, mode);
  return path;
}

/** The keeper's transactions on the chain, in the order of their nonces. */
async function minedBy({ client, keeper }: Devnet) {
  const found = [];
  for (let number = 0n; number <= (await client.getBlockNumber()); number++) {
    const { transactions } = await client.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { from, hash, nonce } of transactions) {
      if (from.toLowerCase() !== keeper.address.toLowerCase()) continue;
      found.push({ hash, nonce, ...(await client.getTransactionReceipt({ hash })) });
    }
  }
  return found.toSorted((a, b) => a.nonce - b.nonce);
}

function isCaughtUp({ client, contract }: Devnet) {
  return client
    .readContract({ address: contract, abi: protocolAbi, functionName: "nextUncheckedDay" })
    .then((day) => day > dayNumber(NOW));
}

describe("a keeper with a keystore and keeper.toml, on its own node", () => {
  let devnet: Devnet;
  let keeper: TestProcess;
  const messages: string[] = [];
  const hook = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      messages.push(await request.text());
      return new Response();
    },
  });
  cleanUps.push(() => hook.stop(true));
  const hookPath = "a-long-secret-of-the-hook";

  beforeAll(async () => {
    devnet = await startChain();
    const keystore = await writeSecret("keystore", sealKeystore(devnet.keeper.privateKey, PASSWORD));
    const password = await writeSecret("password", PASSWORD);
    const config = await writeSecret(
      "keeper.toml",
      [
        "direct = true",
        "interval_seconds = 1",
        "window_seconds = 0",
        "[key]",
        `keystore = "${keystore}"`,
        `password_file = "${password}"`,
        "[metrics]",
        "port = 0",
        "[notify]",
        `urls = ["${hook.url.href}${hookPath}"]`,
        "[chains.31337]",
        `rpc_urls = ["${devnet.url}"]`,
        `contract = "${devnet.contract}"`,
      ].join("\n"),
    );
    keeper = await startKeeper(["--config", config]);
  });

  test("settles the backlog, and serves health and metrics of it", async () => {
    const [, url = ""] = await keeper.printed(/"url":"([^"]+)","msg":"metrics are served"/);
    await keeper.printed(/"msg":"settled: 87 payments \(7 failed\) in 12 transactions/);
    expect(await isCaughtUp(devnet)).toBe(true);
    const health = await fetch(`${url}/health`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ status: "ok", chains: [{ chainId: 31337, state: "idle" }] });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('dueday_keeper_transactions_total{chain="31337",outcome="settled"} 12');
    expect(metrics).toContain('dueday_keeper_races_total{chain="31337",outcome="won"} 12');
    for (const line of (await keeper.output()).trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("time");
  });

  test("notifies of the earnings, and ends with 0 on SIGTERM", async () => {
    await waitUntil("a message", () => messages.length > 0);
    expect(messages.join("\n")).toContain("started: keeper");
    keeper.kill("SIGTERM");
    expect(await keeper.exited()).toBe(0);
  });

  test("shows key, password and secret URLs nowhere: not in its log, metrics, messages, arguments or environment", async () => {
    const everything = [await keeper.output(), ...messages].join("\n");
    const secrets = [devnet.keeper.privateKey.slice(2), PASSWORD, hookPath, devnet.url];
    for (const secret of secrets) expect(everything).not.toContain(secret);
  });
});

// Each on a separate chain, of which it waits for blocks.
test.concurrent("with --min-profit the demo's backlog is settled as far as its sum is highest, as the dry run has shown, with exit code 6", async () => {
  const devnet = await startChain();
  const prices = devnet.tokens.flatMap((token) => ["--price", `${token}:400000000000000`]);
  const args = ["--direct", "--rpc", devnet.url, "--contract", devnet.contract, "--min-profit", "0.001", ...prices];
  const env = { KEEPER_PRIVATE_KEY: devnet.keeper.privateKey };
  const dry = await startKeeper([...args, "--dry-run"], env);
  expect(await dry.exited()).toBe(0);
  const table = await dry.output();
  expect(table).toMatch(/fee +cost +net +cumulative/);
  expect(table).toContain("verdict: send: 11 of 12 transactions earn 0.017");
  const keeper = await startKeeper([...args, "--once", "--jitter", "0"], env);
  expect(await keeper.exited()).toBe(6);
  const output = await keeper.output();
  expect(output).toContain("nothing is sent: what is left (1 transactions) would earn -0.00015");
  expect((await minedBy(devnet)).map(({ status }) => status)).toEqual(Array(11).fill("success"));
});

test.concurrent("a key in the environment is in no line of its log and not among the arguments of the process", async () => {
  const devnet = await startChain();
  const { privateKey } = devnet.keeper;
  const args = ["--direct", "--rpc", devnet.url, "--contract", devnet.contract];
  const keeper = await startKeeper(args, { KEEPER_PRIVATE_KEY: privateKey });
  await keeper.printed(/keeper 0x/);
  expect(readFileSync(`/proc/${keeper.pid}/cmdline`, "utf8")).not.toContain(privateKey.slice(2));
  keeper.kill("SIGTERM");
  await keeper.exited();
  expect(await keeper.output()).not.toContain(privateKey.slice(2));
});

test.concurrent("a key file that others may read, an unknown setting and a missing node are reported at once, with exit code 1", async () => {
  const path = await writeSecret("open-key", `0x${"11".repeat(32)}`, 0o644);
  const keeper = await startKeeper(["config", "check", "--key-file", path, "--interval", "0"]);
  expect(await keeper.exited()).toBe(1);
  const output = await keeper.output();
  for (const part of ["chmod 600", "--interval must be", "--rpc is missing"]) expect(output).toContain(part);
  expect(output).not.toContain("1111");
});

test.concurrent("config check asks node and plan; a node of another chain and a contract without code are faults", async () => {
  const devnet = await startChain();
  const check = async (...args: string[]) => {
    const keeper = await startKeeper(["config", "check", "--direct", ...args], {
      KEEPER_PRIVATE_KEY: devnet.keeper.privateKey,
    });
    return { code: await keeper.exited(), output: await keeper.output() };
  };
  const good = await check("--rpc", devnet.url, "--contract", devnet.contract);
  expect(good).toEqual({ code: 0, output: expect.stringContaining(devnet.keeper.address) });
  const empty = await check("--rpc", devnet.url, "--contract", `0x${"11".repeat(20)}`);
  expect(empty).toEqual({ code: 1, output: expect.stringContaining("there is no contract") });
  const toml = await writeSecret("other.toml", `[chains.8453]\nrpc_urls = ["${devnet.url}"]\n`);
  const other = await check("--config", toml);
  expect(other).toEqual({ code: 1, output: expect.stringContaining("of chain 31337 instead of 8453") });
});

test.concurrent("killed again and again while it sends, it settles everything once: no transaction reverts and no nonce is left out", async () => {
  const devnet = await startChain(1_000);
  const args = [
    "--direct",
    "--rpc",
    devnet.url,
    "--contract",
    devnet.contract,
    "--once",
    "--jitter",
    "0",
    "--replace-after",
    "3",
  ];
  const env = { KEEPER_PRIVATE_KEY: devnet.keeper.privateKey };
  // Milliseconds between the signature and the kill: before, during and after the broadcast and its block.
  for (const delayMs of [0, 3, 20, 200, 700, 1_300]) {
    const keeper = await startKeeper(args, env);
    await keeper.printed(/"msg":"sends transaction|"caught_up"|caught up/);
    await Bun.sleep(delayMs);
    keeper.kill("SIGKILL");
    await keeper.exited();
  }
  const last = await startKeeper(args, env);
  expect(await last.exited()).toBe(0);
  expect(await isCaughtUp(devnet)).toBe(true);
  const mined = await minedBy(devnet);
  expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, index) => index));
  expect(mined.filter(({ status }) => status !== "success")).toEqual([]);
  expect(mined).toHaveLength(12);
}, 240_000);
