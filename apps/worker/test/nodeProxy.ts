import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import { numberToHex } from "viem";

export type ProxyFaults = {
  /** Logs of a block are returned so many milliseconds after its header was. Default 0. */
  logsLateMs?: number;
  /** Every bit of each bloom is set, as on chains with many logs, and no block proves to be empty. Default false. */
  saturatedBlooms?: boolean;
};

export type NodeProxy = {
  url: string;
  /** Calls since the start or the last `clear()`, by method; "eth_getLogs of events" where topics are given. */
  calls: Map<string, number>;
  stop(): void;
};

const SATURATED = `0x${"ff".repeat(256)}`;

/** Forwards JSON-RPC to a node, counts the calls, and serves logs late where that is wanted. */
export async function startNodeProxy(
  target: string,
  { logsLateMs = 0, saturatedBlooms = false }: ProxyFaults = {},
): Promise<NodeProxy> {
  const calls = new Map<string, number>();
  /** When a header of each height, or of a higher one, was returned first. */
  const served: { number: number; at: number }[] = [];

  function noteHeader(result: unknown): unknown {
    if (!isRecord(result)) return result;
    const number = Number(result.number);
    if (number > (served.at(-1)?.number ?? -1)) served.push({ number, at: performance.now() });
    if (!saturatedBlooms) return result;
    return { ...result, logsBloom: SATURATED, receiptsRoot: numberToHex(1, { size: 32 }) };
  }

  function isServed(log: unknown): boolean {
    const number = isRecord(log) ? Number(log.blockNumber) : 0;
    const at = served.find((each) => each.number >= number)?.at ?? performance.now();
    return performance.now() - at >= logsLateMs;
  }

  async function forward(body: unknown): Promise<unknown> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(target, { method: "POST", headers, body: JSON.stringify(body) });
    return response.json();
  }

  function alter(call: unknown, answer: unknown): unknown {
    if (!isRecord(call) || !isRecord(answer)) return answer;
    const method = String(call.method);
    const [filter] = Array.isArray(call.params) ? call.params : [];
    const name = isRecord(filter) && "topics" in filter ? `${method} of events` : method;
    calls.set(name, (calls.get(name) ?? 0) + 1);
    if (method.startsWith("eth_getBlockBy")) return { ...answer, result: noteHeader(answer.result) };
    if (method !== "eth_getLogs" || !Array.isArray(answer.result)) return answer;
    return { ...answer, result: answer.result.filter(isServed) };
  }

  const start = await forward({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  const startBlock = isRecord(start) ? Number(start.result) : 0;
  // Blocks older than the proxy are complete.
  served.push({ number: startBlock, at: Number.NEGATIVE_INFINITY });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body: unknown = await request.json();
      const answer = await forward(body);
      if (!Array.isArray(body) || !Array.isArray(answer)) return Response.json(alter(body, answer));
      const answers = new Map(answer.map((each) => [isRecord(each) ? each.id : null, each]));
      return Response.json(body.map((call) => alter(call, answers.get(isRecord(call) ? call.id : null))));
    },
  });
  return { url: server.url.href, calls, stop: () => void server.stop(true) };
}
