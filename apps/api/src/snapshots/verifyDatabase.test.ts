import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { indexTestChain } from "@dueday/api/test/indexTestChain";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { writeTestSnapshots } from "@dueday/api/test/writeTestSnapshots";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { claimChainIdentity } from "@dueday/db/indexing/claimChainIdentity";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";

const database = await createTestDatabase();
const devnet = await startDevnet({ scenario: missedPayments, now: 1_790_000_000 });
afterAll(() => devnet.stop());

test("nothing of another chain with the same id and contract is served, no snapshot and no event, and /status shows the reason", async () => {
  const { contract } = devnet;
  const client = createChainClient({ chainId: TEST_CHAIN_ID, rpcUrls: [devnet.url], requestTimeoutMs: 5_000 });
  await writeTestSnapshots({ database: database.database, client, contract, computedAt: new Date() });
  await indexTestChain({ database: database.database, client, contract });
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
  expect(Object(Object(body.checks).chains)[0]).not.toHaveProperty("eventIndex");
  const [id, account] = [`0x${"12".repeat(32)}`, devnet.keeper.address];
  for (const path of [
    `/subscriptions/${id}/details-history`,
    `/subscriptions/${id}/history`,
    `/accounts/${account}/activity`,
    `/providers/${account}`,
  ]) {
    const { status, body } = await callApi(api, path);
    expect([path, status, body.asOf]).toEqual([path, 200, null]);
    expect(body.error).toContain("another chain");
  }
  for (const path of [
    "/subscriptions",
    `/subscriptions/${id}/details`,
    "/events",
    "/remit/history",
    "/remit/keepers",
  ]) {
    const refused = await callApi(api, path);
    expect([path, refused.status, refused.body.code]).toEqual([path, 503, "NOT_INDEXED"]);
    expect(refused.body.error ?? refused.body.message).toContain("another chain");
  }
  const stream = await callApi(api, "/events", { headers: { Accept: "text/event-stream" } });
  expect([stream.status, stream.body.code]).toEqual([503, "NOT_INDEXED"]);
  await api.stop();
});
