import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { writeTestSnapshots } from "@dueday/api/test/writeTestSnapshots";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { claimChainIdentity } from "@dueday/db/queries/claimChainIdentity";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";

const database = await createTestDatabase();
const devnet = await startDevnet({ scenario: missedPayments, now: 1_790_000_000 });
afterAll(() => devnet.stop());

test("snapshots of another chain with the same id and contract are not served, and /status says why", async () => {
  const { contract } = devnet;
  const client = createChainClient({ chainId: TEST_CHAIN_ID, rpcUrls: [devnet.url], requestTimeoutMs: 5_000 });
  await writeTestSnapshots({ database: database.database, client, contract, computedAt: new Date() });
  const genesisHash = `0x${"77".repeat(32)}`;
  await claimChainIdentity(database.database, { chainId: TEST_CHAIN_ID, contract, genesisHash });

  const api = await startTestApi({ database, rpcUrl: devnet.url, contract });
  const source = async () => Object((await callApi(api, "/remit/readiness")).body.asOf).source;
  await waitUntil("the answer is live", async () => (await source()) === "live");
  const { body } = await callApi(api, "/status");
  expect(body).toMatchObject({
    status: "degraded",
    checks: { chains: [{ indexedBlock: null, reason: expect.stringContaining("belongs to another chain") }] },
  });
  await api.stop();
});
