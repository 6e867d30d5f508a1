import { afterAll, expect, test } from "bun:test";
import { createTestDatabase, emptyTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { startProcess, type TestProcess } from "./startProcess";

const API = "apps/api/src/main.ts";
const WORKER = "apps/worker/src/main.ts";
const { url } = await createTestDatabase();
const emptyUrl = await emptyTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function start(program: string, databaseUrl: string): Promise<TestProcess> {
  const env = {
    PORT: "0",
    DATABASE_URL: databaseUrl,
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: "http://127.0.0.1:1",
    CHAIN_31337_CONTRACT: `0x${"11".repeat(20)}`,
  };
  const process = await startProcess(program, { env });
  cleanUps.push(process.dispose);
  return process;
}

/** A process whose database is down, and a function that starts it. */
async function startWithout(program: string): Promise<{ process: TestProcess; appear(): void }> {
  const proxy = await startTcpProxy();
  cleanUps.push(proxy.stop);
  const address = new URL(url);
  address.port = String(proxy.port);
  const process = await start(program, address.href);
  await process.printed(/the database does not answer/);
  return { process, appear: () => proxy.pointAt(Number(new URL(url).port)) };
}

test("an API that starts before its database logs once that it waits, and serves when the database is up", async () => {
  const { process: api, appear } = await startWithout(API);
  appear();
  const [, apiUrl] = await api.printed(/API on (http\S+)/);
  expect((await fetch(`${apiUrl}/`)).status).toBe(200);
  const output = await api.output();
  expect(new URL(url).password).not.toBe("");
  expect(output.match(/the database does not answer/g)).toHaveLength(1);
  expect(output).not.toContain(new URL(url).password);
  api.kill("SIGTERM");
  expect(await api.exited()).toBe(0);
});

test("a worker that starts before its database logs once that it waits, and goes on when the database is up", async () => {
  const { process: worker, appear } = await startWithout(WORKER);
  appear();
  // It names a chain only after the database has answered.
  await worker.printed(/"chainId":31337/);
  worker.kill("SIGTERM");
  expect(await worker.exited()).toBe(0);
  expect((await worker.output()).match(/the database does not answer/g)).toHaveLength(1);
});

test.each([API, WORKER])("%s ends with code 0 on SIGTERM while it waits for its database", async (program) => {
  const { process } = await startWithout(program);
  process.kill("SIGTERM");
  expect(await process.exited()).toBe(0);
});

test.each([API, WORKER])("%s refuses a database that lacks migrations, with the command to run", async (program) => {
  const process = await start(program, emptyUrl);
  expect(await process.exited()).toBe(1);
  expect(await process.output()).toMatch(/^the database .*: run `bun run migrate`$/m);
});
