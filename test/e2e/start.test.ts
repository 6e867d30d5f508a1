import { afterAll, afterEach, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { startProcess, type TestProcess } from "./startProcess";

const START = "apps/local/src/start.ts";
const Status = Type.Object({ checks: Type.Object({ database: Type.Object({ status: Type.String() }) }) });
/** Of all tests, one after the other: the first start copies PostgreSQL into it. */
const dataDir = await mkdtemp(join(tmpdir(), "dueday-e2e-data-"));
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function start(program: string, env: Record<string, string>): Promise<TestProcess> {
  const process = await startProcess(program, { env });
  cleanUps.push(() => process.dispose());
  return process;
}

/** Settings of a service whose node is unreachable: it has nothing to serve, but it must run. */
const settings = {
  PORT: "0",
  DATA_DIR: dataDir,
  CHAINS: "31337",
  CHAIN_31337_RPC_URLS: "http://127.0.0.1:1/a-key-in-the-path",
  CHAIN_31337_CONTRACT: `0x${"11".repeat(20)}`,
};

async function statusOf(service: TestProcess): Promise<number> {
  const [, url] = await service.printed(/Dueday on (http\S+)/);
  return (await fetch(`${url}/`)).status;
}

test("a service that was killed is followed by another on the same data folder, and ends with code 0 on SIGTERM", async () => {
  const killed = await start(START, settings);
  expect(await statusOf(killed)).toBe(200);
  killed.kill("SIGKILL");
  await killed.exited();
  const next = await start(START, settings);
  expect(await statusOf(next)).toBe(200);
  next.kill("SIGTERM");
  expect(await next.exited()).toBe(0);
  expect(await next.output()).not.toContain("a-key-in-the-path");
});

/** The server of its embedded database. */
function postgresOf(service: TestProcess): number {
  const { stdout } = Bun.spawnSync(["ps", "-o", "pid=,args=", "--ppid", String(service.pid)]);
  const line = stdout
    .toString()
    .split("\n")
    .find((each) => each.includes("/postgres "));
  if (line === undefined) throw new Error("the service has no PostgreSQL");
  return Number.parseInt(line, 10);
}

test("a PostgreSQL that dies is restarted three times within a minute; then the service ends with code 1", async () => {
  const service = await start(START, settings);
  expect(await statusOf(service)).toBe(200);
  const [, url] = await service.printed(/Dueday on (http\S+)/);
  const databaseIs = async (status: string) => {
    const response = await fetch(`${url}/status`);
    return Value.Parse(Status, await response.json()).checks.database.status === status;
  };
  for (let death = 1; death <= 3; death++) {
    const dead = postgresOf(service);
    process.kill(dead, "SIGKILL");
    await waitUntil(`restart ${death}`, async () => {
      const { length } = (await service.output()).match(/PostgreSQL ended by itself/g) ?? [];
      return length === death && (await databaseIs("ok"));
    });
    expect(postgresOf(service)).not.toBe(dead);
  }
  process.kill(postgresOf(service), "SIGKILL");
  expect(await service.exited()).toBe(1);
  expect(await service.output()).toContain("3 restarts within a minute did not help");
});

test("SIGTERM ends a service within 10 s while its node and a client keep it busy", async () => {
  let unanswered = 0;
  const node = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch() {
      unanswered++;
      return new Promise<Response>(() => {});
    },
  });
  cleanUps.push(() => node.stop(true));
  const service = await start(START, { ...settings, CHAIN_31337_RPC_URLS: node.url.href });
  expect(await statusOf(service)).toBe(200);
  const [, url] = await service.printed(/Dueday on (http\S+)/);
  const pending = fetch(`${url}/subscriptions/0x${"11".repeat(32)}`).catch(() => null);
  const upload = connect(Number(new URL(String(url)).port), "127.0.0.1");
  cleanUps.push(async () => void upload.destroy());
  upload.on("error", () => {});
  // The rest of the body never comes, and the server waits for it.
  upload.write(
    "POST /prepare/remit HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
  );
  await waitUntil("a request that is not answered", () => unanswered > 0);
  service.kill("SIGTERM");
  // By the service's own clock: where it needs longer, it ends with 1.
  expect(await service.exited()).toBe(0);
  await pending;
});

test("a data folder that is in use is refused with its holder and the remedy", async () => {
  const holder = await start(START, settings);
  await statusOf(holder);
  const second = await start(START, settings);
  expect(await second.exited()).toBe(1);
  expect((await second.output()).trim()).toMatch(
    /^the data folder .* \(pid \d+\): stop it, or choose another DATA_DIR$/,
  );
});

test.each([START, "apps/local/src/demo.ts"])(
  "%s prints one sentence when its port is in use, and ends with code 1",
  async (program) => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    cleanUps.push(async () => other.close());
    const address = other.address();
    if (address === null || typeof address === "string") throw new Error("the other program has a port");
    const refused = await start(program, { ...settings, PORT: String(address.port) });
    expect(await refused.exited()).toBe(1);
    expect((await refused.output()).trim()).toBe(
      `port ${address.port} is in use: stop the program that uses it, or choose another port with PORT`,
    );
  },
);

test("every fault of the settings is named at once, without its value", async () => {
  const refused = await start(START, { PORT: "http", REDIS_URL: "a-secret", CHAINS: "5" });
  expect(await refused.exited()).toBe(1);
  const output = await refused.output();
  for (const name of ["PORT", "REDIS_URL", "CHAIN_5_RPC_URLS", "CHAIN_5_CONTRACT"])
    expect(output).toContain(`${name}:`);
  expect(output).not.toContain("a-secret");
});
