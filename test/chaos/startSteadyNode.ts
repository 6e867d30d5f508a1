import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import { waitUntil } from "@dueday/test-support/waitUntil";

/** anvil, as exact about its blocks as other nodes. */
export type SteadyNode = { url: string; stop(): Promise<void> };

type RpcCall = { method: string };

const CHANGES = /^(?:eth_send|evm_|anvil_)/;
const JSON_TYPE = { "Content-Type": "application/json" };
const HASH_LENGTH = 66;

/**
 * While anvil mines a block, a read at the block before, named by number or hash, is answered from the new one. Behind this
 * proxy nothing is read while a block is made.
 */
export function startSteadyNode(anvilUrl: string): SteadyNode {
  let change: Promise<unknown> = Promise.resolve();
  const reads = new Set<Promise<unknown>>();

  async function ask(body: string): Promise<unknown> {
    return (await fetch(anvilUrl, { method: "POST", body, headers: JSON_TYPE })).json();
  }

  async function read(body: string): Promise<unknown> {
    for (let awaited: unknown; awaited !== change; await awaited) awaited = change;
    const reading = ask(body);
    reads.add(reading);
    try {
      return await reading;
    } finally {
      reads.delete(reading);
    }
  }

  function alone(body: string): Promise<unknown> {
    const before = change;
    const changed = before.then(async () => {
      await Promise.allSettled(reads);
      const answer = await ask(body);
      for (const each of Array.isArray(answer) ? answer : [answer]) await mined(each);
      return answer;
    });
    change = changed.catch(() => {});
    return changed;
  }

  /** A transaction is mined after its hash was returned. Answers without a transaction are sent at once. */
  async function mined(answer: unknown): Promise<void> {
    const hash = isRecord(answer) ? answer.result : null;
    if (typeof hash !== "string" || hash.length !== HASH_LENGTH) return;
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getTransactionReceipt", params: [hash] });
    const isMined = async () => {
      const receipt = await ask(call);
      return !isRecord(receipt) || receipt.result !== null;
    };
    await waitUntil(`${hash} to be mined`, isMined);
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 255,
    async fetch(request) {
      const body = await request.text();
      const parsed: RpcCall | RpcCall[] = JSON.parse(body);
      const calls = Array.isArray(parsed) ? parsed : [parsed];
      return Response.json(await (calls.some(({ method }) => CHANGES.test(method)) ? alone(body) : read(body)));
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}
