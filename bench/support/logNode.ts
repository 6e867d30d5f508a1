import { type Hex, numberToHex, pad } from "viem";
import { dataOf, type EmittedLog, topicsOf } from "./emitter";

export type LogNodeOptions = {
  contract: Hex;
  events: readonly EmittedLog[];
  /** Number of blocks over which the events are spread evenly. */
  blocks: number;
  latencyMs: number;
  chainId: number;
  /** Blocks of the widest range whose logs are returned. Default: no limit. */
  widestRange?: number;
};

export type LogNode = {
  url: string;
  /** Number of HTTP requests, of `eth_getLogs` calls for a range, and of those that were refused. */
  counts(): { requests: number; ranges: number; refused: number };
  stop(): void;
};

type Call = { id: number; method: string; params: [Record<string, Hex> | Hex, ...unknown[]] };

/** Starts a JSON-RPC server that simulates a chain of any number of blocks. The logs are rendered at the start. */
export function startLogNode(options: LogNodeOptions): LogNode {
  const { blocks, latencyMs, widestRange = Number.POSITIVE_INFINITY } = options;
  const logs = renderLogs(options);
  const counts = { requests: 0, ranges: 0, refused: 0 };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      counts.requests++;
      const calls: Call | Call[] = JSON.parse(await request.text());
      await Bun.sleep(latencyMs);
      const one = (call: Call) => `{"jsonrpc":"2.0","id":${call.id},${answer(call)}}`;
      const body = Array.isArray(calls) ? `[${calls.map(one).join(",")}]` : one(calls);
      return new Response(body, { headers: { "content-type": "application/json" } });
    },
  });

  function answer({ method, params: [first] }: Call): string {
    if (typeof first === "object" && first.fromBlock !== undefined) {
      return answerRange(Number(first.fromBlock), Number(first.toBlock));
    }
    return `"result":${resultOf(method, first)}`;
  }

  function answerRange(from: number, to: number): string {
    counts.ranges++;
    if (to - from >= widestRange) {
      counts.refused++;
      return '"error":{"code":-32602,"message":"block range too large"}';
    }
    const found: string[] = [];
    for (let number = from; number <= to; number++) {
      const ofBlock = logs.get(number);
      if (ofBlock !== undefined) found.push(...ofBlock);
    }
    return `"result":[${found.join(",")}]`;
  }

  function resultOf(method: string, first: Call["params"][0]): string {
    if (method === "eth_chainId") return `"${numberToHex(options.chainId)}"`;
    if (method === "eth_getCode") return '"0x"';
    // Every tag, also `safe` and `finalized`, is the last block: all blocks are final.
    if (method === "eth_getBlockByNumber") return header(String(first).startsWith("0x") ? Number(first) : blocks);
    if (typeof first !== "object") throw new Error(`the node does not answer ${method}`);
    if (method === "eth_call") return `"${record(first.data ?? "0x")}"`;
    return `[${(logs.get(Number(first.blockHash)) ?? []).join(",")}]`;
  }

  return { url: server.url.href, counts: () => ({ ...counts }), stop: () => void server.stop(true) };
}

/** A block header, whose hash is the block's number. */
function header(number: number): string {
  const hash = numberToHex(number, { size: 32 });
  const parentHash = numberToHex(Math.max(0, number - 1), { size: 32 });
  const times = { timestamp: numberToHex(1_700_000_000 + number), gasLimit: "0x1" };
  return JSON.stringify({ number: numberToHex(number), hash, parentHash, ...times });
}

/** The words that the emitter returns for both views. */
function record(data: Hex): Hex {
  if (data.length !== 74) return "0x";
  const words = [6, 0, 0, 0, 1, 28].map((value) => numberToHex(value, { size: 32 }).slice(2));
  return `0x${data.slice(10)}${words.join("")}`;
}

/** The logs as JSON, by block number, for each block that has logs. */
function renderLogs({ contract, events, blocks }: LogNodeOptions): Map<number, string[]> {
  const texts = new Map<number, string[]>();
  for (const [index, event] of events.entries()) {
    // Two events share a transaction, as those of a subscriber that leaves do.
    const pair = index - (index % 2);
    const number = 1 + Math.floor((pair * blocks) / events.length);
    const ofBlock = texts.get(number) ?? [];
    texts.set(number, ofBlock);
    const log = {
      address: contract,
      topics: topicsOf(event),
      data: dataOf(event),
      blockNumber: numberToHex(number),
      blockHash: numberToHex(number, { size: 32 }),
      logIndex: numberToHex(ofBlock.length),
      transactionHash: pad(numberToHex(pair), { size: 32 }),
    };
    ofBlock.push(JSON.stringify(log));
  }
  return texts;
}
