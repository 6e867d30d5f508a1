import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { indexTestChain } from "@dueday/api/test/indexTestChain";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createSubscription, fund, pauseToken, subscribe } from "@dueday/devnet/scenarios/actions";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { type NodeProxy, startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { type Hex, parseEther, parseUnits } from "viem";

/** Monday, 21 September 2026. */
const NOW_SECONDS = 1_790_000_000;

const database = await createTestDatabase();
const protocol = await startProtocol({ now: NOW_SECONDS });
const provider = protocol.person(0).address;
const member = protocol.person(1).address;
let id: Hex;
/** Due on the day of the tests, with a paused token. */
let pausedId: Hex;
let node: NodeProxy;
let api: TestApi;

beforeAll(async () => {
  const token = await protocol.token("HUSD", 6);
  await fund(protocol, token, member, parseUnits("100", 6), parseUnits("60", 6));
  id = await createSubscription(protocol, provider, {
    amount: parseEther("12"),
    token,
    frequency: 0,
    dueDay: 3,
    details: { url: "", description: "" },
  });
  await subscribe(protocol, member, id);
  const paused = await protocol.token("LGC", 6);
  await fund(protocol, paused, member, parseUnits("100", 6), parseUnits("100", 6));
  pausedId = await createSubscription(protocol, provider, {
    amount: parseEther("12"),
    token: paused,
    frequency: 0,
    dueDay: 1,
    details: { url: "", description: "" },
  });
  await subscribe(protocol, member, pausedId);
  await pauseToken(protocol, paused);
  const { contract, url } = protocol;
  const client = createChainClient({ chainId: TEST_CHAIN_ID, rpcUrls: [url], requestTimeoutMs: 5_000 });
  await indexTestChain({ database: database.database, client, contract });
  node = startNodeProxy(url);
  api = await startTestApi({ database, rpcUrl: node.url, contract });
});
afterAll(async () => {
  await api.stop();
  await node.stop();
  await protocol.stop();
});

const ask = (account: string, of: Hex = id) => callApi(api, `/subscriptions/${of}/entitlement?account=${account}`);

test("a subscriber is entitled: since when, until when it has paid, and what its means still cover", async () => {
  const { status, body } = await ask(member);
  expect([status, body]).toMatchObject([
    200,
    { id, account: member, entitled: true, state: "active", paidThroughDate: "2026-09-22", nextDueDate: "2026-09-23" },
  ]);
  expect(body.since).toBe(body.lastPaymentAt);
  // 60 were approved, and the first charge took a part of the first period.
  expect(body.coveredPayments).toBe(4);
});

test("an account that never subscribed is not entitled, and an unknown subscription is 404", async () => {
  expect((await ask(provider)).body).toMatchObject({
    entitled: false,
    state: "never",
    since: null,
    lastPaymentAt: null,
    paidThroughDate: null,
    nextDueDate: null,
    coveredPayments: 0,
  });
  const unknown = await callApi(api, `/subscriptions/0x${"ab".repeat(32)}/entitlement?account=${member}`);
  expect([unknown.status, unknown.body.code]).toEqual([404, "NOT_FOUND"]);
});

test("it takes one request to the node, at the block that the events are true for", async () => {
  await ask(member);
  node.exchanges.length = 0;
  const { body } = await ask(member);
  const monitor = ["eth_getBlockByNumber", "eth_chainId", "eth_blockNumber"];
  const withoutMonitor = node.exchanges.map((methods) => methods.filter((method) => !monitor.includes(method)));
  const asked = withoutMonitor.filter((methods) => methods.length > 0);
  // Without Multicall3 the reads are one batch; the walk of this block is known from the first answer.
  expect(asked).toEqual([["eth_call", "eth_call", "eth_getBlockByHash"]]);
  expect(Object(body.asOf).blockNumber).toBe(String(await protocol.client.getBlockNumber()));
});

test("with a paused token no charge is due and none is announced, as the account's own answer has it", async () => {
  const { body: account } = await callApi(api, `/accounts/${member}`);
  const rows: { subscription: { id: Hex }; nextDueDate: string | null }[] = Object(account).subscribedTo;
  expect(rows.find(({ subscription }) => subscription.id === pausedId)?.nextDueDate).toBeNull();
  expect((await ask(member, pausedId)).body).toMatchObject({ entitled: true, state: "active", nextDueDate: null });
});
