import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

const NOW = 1_790_000_000;
const FROM = `0x${"11".repeat(20)}`;
/** In the last hour in which a block may lie; on the last second of a day no answer is pinned. */
const LAST_TIME = 253_402_297_200n;
const database = await createTestDatabase();
const devnet = await startDevnet({ scenario: missedPayments, now: NOW });
afterAll(() => devnet.stop());

type Sent = { path: string; body?: Record<string, unknown> };
const READINESS: Sent = { path: `/remit/readiness?from=${FROM}` };

async function mineAt(timestamp: bigint): Promise<void> {
  await devnet.client.setNextBlockTimestamp({ timestamp });
  await devnet.client.mine({ blocks: 1 });
}

/** Status, code and error of the answers of a new API, whose clock stands at NOW. */
async function answersOf(calls: Sent[], env: Record<string, string> = {}) {
  const { url: rpcUrl, contract } = devnet;
  const api = await startTestApi({ database, rpcUrl, contract, clock: () => NOW * 1000, env });
  const answers = await Promise.all(
    calls.map(({ path, body }) => callApi(api, path, body && { method: "POST", body })),
  );
  await api.stop();
  return answers.map(({ status, body }) => ({ status, code: body.code, error: body.error }));
}

test("an API follows a chain that is ahead of its clock as far as the chain's settings say", async () => {
  await mineAt(BigInt(NOW) + 172_800n);
  const bounds = ["86400", "172800"].map((seconds) => ({
    [`CHAIN_${TEST_CHAIN_ID}_MAX_CLOCK_AHEAD_SECONDS`]: seconds,
  }));
  const answers = await Promise.all([...bounds, {}].map((env) => answersOf([READINESS], env)));
  const [refused, served, unbounded] = answers.flat();
  expect(refused).toMatchObject({ status: 502, code: "UPSTREAM_ERROR", error: expect.stringContaining("impossible") });
  expect([served?.status, unbounded?.status]).toEqual([200, 200]);
});

test("a chain that has travelled to the year 9999 gets an honest refusal of whatever goes through its open days", async () => {
  await mineAt(LAST_TIME);
  const subscribe = {
    path: "/check_subscribe_readiness_by_id",
    body: { from: FROM, id: devnet.subscriptions.monthly1 },
  };
  const answers = await answersOf([READINESS, { path: "/remit/forecast" }, subscribe]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 502, code: "UPSTREAM_ERROR", error: expect.stringContaining("open days") });
  }
});
