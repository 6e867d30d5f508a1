import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { prepareFully } from "@dueday/api/test/walkPrepare";
import { writeTestSnapshots } from "@dueday/api/test/writeTestSnapshots";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { demo } from "@dueday/devnet/scenarios/demo";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";

const NOW_SECONDS = 1_790_000_000;
const STALE_AFTER_MS = 60_000;

const database = await createTestDatabase();
const clock = { now: NOW_SECONDS * 1000 };
let devnet: Devnet;
let api: TestApi;

beforeAll(async () => {
  devnet = await startDevnet({ scenario: demo, now: NOW_SECONDS });
  const { contract, url } = devnet;
  const client = createChainClient({ chainId: TEST_CHAIN_ID, rpcUrls: [url], requestTimeoutMs: 5_000 });
  await writeTestSnapshots({ database: database.database, client, contract, computedAt: new Date(clock.now) });
  api = await startTestApi({
    database,
    rpcUrl: url,
    contract,
    clock: () => clock.now,
    env: { STALE_AFTER_MS: String(STALE_AFTER_MS), SCAN_INTERVAL_MS: "1000" },
  });
});
afterAll(async () => {
  await api.stop();
  await devnet.stop();
});

async function warningCodes(): Promise<string[]> {
  const { warnings } = await prepareFully(api, "remit", { from: devnet.keeper.address });
  return warnings.map(({ code }) => code);
}

test("an answer has the whole backlog, and a warning when the polled plan is stale", async () => {
  await waitUntil("the plan is served", async () => {
    const { body } = await callApi(api, "/remit/readiness");
    return Object(body.asOf).source === "snapshot";
  });
  const fresh = await prepareFully(api, "remit", { from: devnet.keeper.address });
  expect(fresh.warnings.map(({ code }) => code)).toContain("SEVERAL_TRANSACTIONS");
  expect(fresh.warnings.map(({ code }) => code)).not.toContain("STALE_SNAPSHOT");
  expect(fresh.instructions.at(-1)?.text).toMatch(/Prepare again: the backlog takes \d+ more/);
  clock.now += STALE_AFTER_MS + 1;
  expect(await warningCodes()).toContain("STALE_SNAPSHOT");
});
