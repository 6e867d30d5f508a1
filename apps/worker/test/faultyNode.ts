import { isRecord } from "@dueday/chain/client/parseRpcAnswer";

/** Returns the result of a call or throws, `staleBy` blocks behind the head where the node lags. */
export type Answer = (method: string, params: readonly unknown[], staleBy: number) => unknown | Promise<unknown>;

export type FaultPlan = {
  /** Draws a number from 0 to 1. */
  random: () => number;
  /** Share of HTTP requests that go wrong; 0 makes a sound node. */
  faultRate(): number;
  /** Widest range of eth_getLogs that is answered, in blocks. */
  widestRange: number;
  /** How far a lagging node is behind at most. */
  stalestBy: number;
};

export type FaultyNode = { url: string; requests(): number; stop(): void };

/** A JSON-RPC server around `answer` that fails as real nodes do. */
export function startFaultyNode(answer: Answer, plan: FaultPlan): FaultyNode {
  let requests = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 30,
    async fetch(request) {
      requests++;
      const calls: unknown = await request.json();
      const faulty = plan.random() < plan.faultRate();
      const fault = faulty ? FAULTS[Math.floor(plan.random() * FAULTS.length)] : undefined;
      if (fault === "timeout") return new Promise<Response>(() => {});
      if (fault === "http error") return new Response("<html>bad gateway</html>", { status: 502 });
      const staleBy = fault === "stale" ? Math.floor(plan.random() * (plan.stalestBy + 1)) : 0;
      const one = (call: unknown) => answerOne(answer, plan, call, { fault, staleBy });
      const body = JSON.stringify(Array.isArray(calls) ? await Promise.all(calls.map(one)) : await one(calls));
      const text = fault === "truncated" ? body.slice(0, Math.floor(body.length * plan.random())) : body;
      return new Response(text, { headers: { "content-type": "application/json" } });
    },
  });
  return { url: server.url.href, requests: () => requests, stop: () => void server.stop(true) };
}

const FAULTS = ["timeout", "http error", "truncated", "null result", "rpc error", "stale"] as const;

async function answerOne(
  answer: Answer,
  plan: FaultPlan,
  call: unknown,
  { fault, staleBy }: { fault: (typeof FAULTS)[number] | undefined; staleBy: number },
) {
  if (!isRecord(call) || typeof call.method !== "string" || !Array.isArray(call.params)) throw new Error("no call");
  const { id, method, params } = call;
  const envelope = { jsonrpc: "2.0", id };
  if (method === "eth_chainId") return { ...envelope, result: await answer(method, params, 0) };
  if (fault === "null result" && plan.random() < 0.5) return { ...envelope, result: null };
  if (fault === "rpc error" && plan.random() < 0.5) {
    return { ...envelope, error: { code: -32603, message: "internal error" } };
  }
  if (method === "eth_getLogs" && widthOf(params[0]) > plan.widestRange) {
    return { ...envelope, error: { code: -32602, message: `query exceeds max block range ${plan.widestRange}` } };
  }
  try {
    return { ...envelope, result: await answer(method, params, staleBy) };
  } catch (error) {
    return { ...envelope, error: { code: -32000, message: error instanceof Error ? error.message : "failed" } };
  }
}

function widthOf(filter: unknown): number {
  if (!isRecord(filter) || filter.fromBlock === undefined) return 1;
  return Number(filter.toBlock) - Number(filter.fromBlock) + 1;
}
