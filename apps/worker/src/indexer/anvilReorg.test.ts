import { afterAll, expect, test } from "bun:test";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { send } from "@dueday/devnet/send";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Answer, startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext, indexDigest } from "@dueday/worker/test/indexFixture";
import { numberToHex } from "viem";
import { indexLogs } from "./indexLogs";

const { database } = await createTestDatabase();
const devnet = await startDevnet({ scenario: missedPayments, now: 1_790_000_000 });
const { client, contract, keeper } = devnet;
afterAll(() => devnet.stop());

const DEPTHS = [1, 3, 64];
const FRESH_ID = 900_000;
let edits = 0;

/** A JSON-RPC request to anvil; throws its error. */
async function request(method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(devnet.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const answer: { result?: unknown; error?: { message: string } } = JSON.parse(await response.text());
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer.result;
}

/** Blocks with an event each, of a content that no block before had. */
async function mine(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    const description = `edit ${edits++}`;
    const profile = { description, company: "", url: "", domain: "", email: "", misc: "" };
    await send(client, { from: keeper.address, to: contract, data: encodeEditProvDetails(profile) });
  }
}

test("reorganisations of a real node, 1, 3 and 64 blocks deep with other contents, leave the index of the final chain", async () => {
  const random = randomFrom(1);
  let faultRate = 0.2;
  const node = startFaultyNode(request, { random, faultRate: () => faultRate, widestRange: 500, stalestBy: 0 });
  const asFresh: Answer = (method, params) =>
    method === "eth_chainId" ? numberToHex(FRESH_ID) : request(method, params);
  const sound = startFaultyNode(asFresh, { random, faultRate: () => 0, widestRange: 500, stalestBy: 0 });
  const fixture = { database, contract };
  const context = indexContext({ ...fixture, url: node.url, chainId: DEVNET_CHAIN_ID, requestTimeoutMs: 300 });
  const signal = new AbortController().signal;
  const pass = () => indexLogs(context, signal).catch(() => {});

  await mine(70);
  for (const depth of DEPTHS) {
    await pass();
    const before = await client.getBlock();
    await request("anvil_rollback", [depth]);
    await pass();
    await mine(depth);
    // A node that did not really reorganise would prove nothing.
    expect((await client.getBlock({ blockNumber: before.number })).hash).not.toBe(before.hash);
    await pass();
    await mine(1);
  }
  faultRate = 0;
  const tip = await client.getBlock();
  const patient = indexContext({ ...fixture, url: node.url, chainId: DEVNET_CHAIN_ID });
  await waitUntil("the index to reach the head", async () => {
    await indexLogs(patient, signal).catch(() => {});
    return (await readCheckpoint(database, patient.chain))?.hash === tip.hash;
  });
  await indexLogs(indexContext({ ...fixture, url: sound.url, chainId: FRESH_ID }), signal);
  expect(await indexDigest(database, DEVNET_CHAIN_ID)).toEqual(await indexDigest(database, FRESH_ID));
  node.stop();
  sound.stop();
});
