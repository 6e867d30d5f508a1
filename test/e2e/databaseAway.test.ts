import { afterAll, expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { startProcess, type TestProcess } from "./startProcess";

const { url } = await createTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** An API whose database is down, and a function that starts it. */
async function startWithout(): Promise<{ api: TestProcess; appear(): void }> {
  const proxy = await startTcpProxy();
  cleanUps.push(proxy.stop);
  const address = new URL(url);
  address.port = String(proxy.port);
  const env = {
    PORT: "0",
    DATABASE_URL: address.href,
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: "http://127.0.0.1:1",
    CHAIN_31337_CONTRACT: `0x${"11".repeat(20)}`,
  };
  const api = await startProcess("apps/api/src/main.ts", { env });
  cleanUps.push(api.dispose);
  await api.printed(/the database does not answer/);
  return { api, appear: () => proxy.pointAt(Number(new URL(url).port)) };
}

test("an API that starts before its database logs once that it waits, and serves when the database is up", async () => {
  const { api, appear } = await startWithout();
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

test("an API that waits for its database ends with code 0 on SIGTERM", async () => {
  const { api } = await startWithout();
  api.kill("SIGTERM");
  expect(await api.exited()).toBe(0);
});
