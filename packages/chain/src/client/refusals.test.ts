import { afterAll, describe, expect, test } from "bun:test";
import {
  type RpcStub,
  STUB_CHAIN_ID,
  type StubAnswer,
  type StubOptions,
  type StubRequest,
  startRpcStub,
} from "@dueday/chain/test/startRpcStub";
import { numberToHex } from "viem";
import { createChainClient } from "./createChainClient";
import { createEndpoints } from "./createEndpoints";
import type { RequestReport } from "./createFailOver";

const stubs: RpcStub[] = [];
afterAll(async () => {
  for (const stub of stubs) await stub.stop();
});

function open(nodes: readonly StubOptions[]) {
  const started = nodes.map((options) => startRpcStub(options));
  stubs.push(...started);
  const reports: RequestReport[] = [];
  const endpoints = createEndpoints({ chainId: STUB_CHAIN_ID, rpcUrls: started.map(({ url }) => url) });
  const client = createChainClient({
    endpoints,
    requestTimeoutMs: 10_000,
    onRequest: (report) => void reports.push(report),
  });
  return { client, endpoints, reports, nodes: started };
}

const echo = ({ params }: StubRequest): StubAnswer => ({ result: `0x${params[0]}` });
const error = (code: number, message: string) => ({ error: { code, message } });
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe.concurrent("a node that accepts few calls a second", () => {
  /** Answers `limit` calls in each 100 ms, refuses the others. */
  function counted(limit: number) {
    let windowStart = 0;
    let used = 0;
    return (calls: number): boolean => {
      if (performance.now() - windowStart > 100) [windowStart, used] = [performance.now(), 0];
      used += calls;
      return used <= limit;
    };
  }

  test.each([
    ["-32005", error(-32005, "limit exceeded")],
    ["-32016", error(-32016, "over rate limit")],
    ["-32029", error(-32029, "Too Many Requests")],
    ["429", error(429, "Your app has exceeded its compute units per second capacity")],
  ])(
    "%s for each call too many: every call is answered, and only the refused ones are sent again",
    async (_, refusal) => {
      const accepts = counted(20);
      const { client, reports } = open([{ answer: (call) => (accepts(1) ? echo(call) : refusal) }]);
      const answers = await Promise.all(numbers(100).map((number) => client.rpc("eth_test", [number])));
      expect(answers).toEqual(numbers(100).map((number) => `0x${number}`));
      expect(reports.filter(({ method, outcome }) => method === "eth_test" && outcome === "ok")).toHaveLength(100);
    },
  );

  test("HTTP 429 for whole requests: every call is answered, with a rate that is learned", async () => {
    const accepts = counted(20);
    const { client, endpoints } = open([
      { answer: echo, respond: ({ length }) => (accepts(length) ? undefined : new Response("", { status: 429 })) },
    ]);
    const answers = await Promise.all(numbers(100).map((number) => client.rpc("eth_test", [number])));
    expect(answers).toEqual(numbers(100).map((number) => `0x${number}`));
    expect(endpoints.states()[0]?.callsPerSecond).toBeLessThan(1_000);
  });

  test("a second URL takes over at once", async () => {
    const limited = error(-32016, "over rate limit");
    const { client, reports } = open([{ answer: () => limited }, { answer: echo }]);
    expect(await client.rpc("eth_test", [1])).toBe("0x1");
    expect(reports.filter(({ method }) => method === "eth_test").map(({ urlIndex }) => urlIndex)).toEqual([0, 1]);
  });

  test("live calls are answered before scans and before a backfill", async () => {
    const accepts = counted(20);
    const { client } = open([{ answer: (call) => (accepts(1) ? echo(call) : error(-32016, "over rate limit")) }]);
    const order: string[] = [];
    const ask = async (purpose: "live" | "scan" | "backfill", number: number) => {
      await client.rpc("eth_test", [number], { purpose });
      order.push(purpose);
    };
    await Promise.all(numbers(45).map((number) => ask("live", number)));
    order.length = 0;
    const purposes = ["backfill", "scan", "live"] as const;
    await Promise.all(purposes.flatMap((purpose) => numbers(20).map((number) => ask(purpose, number))));
    const meanPlace = (purpose: string) => {
      const places = [...order.entries()].filter(([, each]) => each === purpose).map(([place]) => place);
      return places.reduce((sum, place) => sum + place, 0) / places.length;
    };
    expect(meanPlace("live")).toBeLessThan(meanPlace("scan"));
    expect(meanPlace("live")).toBeLessThan(meanPlace("backfill"));
  });
});

describe("a node that takes small batches only", () => {
  const object = { jsonrpc: "2.0", id: null, ...error(-32600, "batch size is too large") };
  const forms: [string, () => Response][] = [
    ["HTTP 413", () => new Response("Payload Too Large", { status: 413 })],
    ["HTTP 500", () => new Response("internal error", { status: 500 })],
    ["a list of one error", () => Response.json([object])],
    ["an error object", () => Response.json(object)],
  ];
  const stated = (cap: number) => ({ code: -32014, message: `maximum ${cap} calls in 1 batch` });
  const drpc = { code: 31, message: "Batch of more than 3 requests are not allowed on free tier" };
  test.each([
    ["-32014 in each item", 10, (calls: readonly StubRequest[]) => calls.map(({ id }) => ({ id, error: stated(10) }))],
    ["an error object with HTTP 500", 3, () => ({ id: null, error: drpc })],
  ])(
    "%s that states the size: it is learned from one refusal, and no call is sent again as it was",
    async (_, cap, refuse) => {
      const { client, endpoints, nodes, reports } = open([
        {
          answer: echo,
          respond(calls) {
            if (calls.length <= cap) return undefined;
            const body = refuse(calls);
            const withVersion = Array.isArray(body)
              ? body.map((each) => ({ jsonrpc: "2.0", ...each }))
              : { jsonrpc: "2.0", ...body };
            return Response.json(withVersion, { status: Array.isArray(body) ? 200 : 500 });
          },
        },
      ]);
      const answers = await Promise.all(numbers(40).map((number) => client.rpc("eth_test", [number])));
      expect(answers).toEqual(numbers(40).map((number) => `0x${number}`));
      expect(endpoints.states()[0]?.batchSize).toBe(cap);
      expect(nodes[0]?.exchanges.filter(({ length }) => length > cap)).toHaveLength(1);
      const tries = Map.groupBy(
        reports.filter(({ method }) => method === "eth_test"),
        ({ outcome }) => outcome,
      );
      expect(tries.get("ok")).toHaveLength(40);
    },
  );

  test("a contract that reverts with a text about batches does not make them smaller", async () => {
    const hostile = { error: { code: 3, message: "execution reverted: batch too large", data: "0x08c379a0" } };
    const { client, endpoints } = open([
      { answer: (call) => (call.params[0] === 3 ? hostile : call.method === "eth_test" ? echo(call) : undefined) },
    ]);
    const calls = await Promise.allSettled(numbers(20).map((number) => client.rpc("eth_test", [number])));
    expect(calls.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(endpoints.states()[0]?.batchSize).toBe(50);
  });

  test("a range of blocks that is too large is refused alone too: the batch is not", async () => {
    const tooWide = error(-32062, "Block range is too large");
    const { client, endpoints } = open([{ answer: (call) => (call.method === "eth_getLogs" ? tooWide : echo(call)) }]);
    const [logs, other] = await Promise.allSettled([
      client.rpc("eth_getLogs", [{ fromBlock: "0x1", toBlock: "0xffff" }]),
      client.rpc("eth_test", [1]),
    ]);
    expect(logs).toMatchObject({ status: "rejected", reason: { code: -32062 } });
    expect(other.status).toBe("fulfilled");
    expect(endpoints.states()[0]?.batchSize).toBe(50);
  });

  describe.each(forms)("%s", (_, refuse) => {
    test.each([10, 3, 1])("for more than %p calls: every call is answered, and the size is learned", async (cap) => {
      const { client, endpoints, nodes } = open([
        { answer: echo, respond: ({ length }) => (length > cap ? refuse() : undefined) },
      ]);
      const ask = () => Promise.all(numbers(40).map((number) => client.rpc("eth_test", [number])));
      expect(await ask()).toEqual(numbers(40).map((number) => `0x${number}`));
      expect(endpoints.states()[0]?.batchSize).toBeLessThanOrEqual(cap);
      const before = nodes[0]?.exchanges.length ?? 0;
      expect(await ask()).toEqual(numbers(40).map((number) => `0x${number}`));
      const later = nodes[0]?.exchanges.slice(before) ?? [];
      expect(later.every((methods) => methods.length <= cap)).toBe(true);
    });
  });

  test("answers that are too large together are requested in smaller batches", async () => {
    const { client } = open([
      {
        answer: echo,
        respond: (requests) =>
          requests.length > 4
            ? Response.json(
                requests.map((each, index) => ({
                  jsonrpc: "2.0",
                  id: each.id,
                  ...(index < 4
                    ? { result: each.method === "eth_chainId" ? numberToHex(STUB_CHAIN_ID) : `0x${each.params[0]}` }
                    : error(-32003, "response too large")),
                })),
              )
            : undefined,
      },
    ]);
    const answers = await Promise.all(numbers(30).map((number) => client.rpc("eth_test", [number])));
    expect(answers).toEqual(numbers(30).map((number) => `0x${number}`));
  });

  test("a node that is down does not make the batches smaller", async () => {
    let isDown = true;
    const { client, endpoints } = open([
      { answer: echo, respond: () => (isDown ? new Response("", { status: 502 }) : undefined) },
    ]);
    await Promise.allSettled(numbers(20).map((number) => client.rpc("eth_test", [number])));
    expect(endpoints.states()[0]?.batchSize).toBe(50);
    isDown = false;
    expect(await client.rpc("eth_test", [7])).toBe("0x7");
  });
});

describe("a method that a node lacks", () => {
  const forms: [string, StubOptions][] = [
    ["-32601", { answer: () => error(-32601, "the method eth_simulateV1 does not exist/is not available") }],
    ["-32600", { answer: () => error(-32600, "Method is not allowed on this plan") }],
    ["-32602", { answer: () => error(-32602, "unsupported method") }],
    [
      "HTTP 403",
      {
        answer: echo,
        respond: (calls) =>
          calls.some(({ method }) => method === "eth_simulateV1") ? new Response("no", { status: 403 }) : undefined,
      },
    ],
  ];
  test.each(forms)("as %s: the next URL is asked, and the first no more for some minutes", async (_, lacking) => {
    const { client, nodes } = open([lacking, { answer: () => ({ result: [] }) }]);
    expect(await client.rpc("eth_simulateV1", [{}])).toEqual([]);
    expect(await client.rpc("eth_simulateV1", [{}])).toEqual([]);
    const asked = (index: number) => nodes[index]?.exchanges.flat().filter((method) => method === "eth_simulateV1");
    expect([asked(0)?.length, asked(1)?.length]).toEqual([1, 2]);
  });

  test.each(forms)("as %s: a node that has the method and fails for a moment is asked again", async (_, lacking) => {
    let failures = 1;
    const failing: StubOptions = {
      answer: () => ({ result: [] }),
      respond: () => (failures-- > 0 ? new Response("", { status: 503 }) : undefined),
    };
    const { client } = open([lacking, failing]);
    expect(await client.rpc("eth_simulateV1", [{}])).toEqual([]);
  });

  test("leaves the other calls of the turn unharmed", async () => {
    const [, , , [, forbidding]] = forms as [unknown, unknown, unknown, (typeof forms)[number]];
    const { client, endpoints } = open([forbidding]);
    const [missing, ...others] = await Promise.allSettled([
      client.rpc("eth_simulateV1", [{}]),
      ...numbers(5).map((number) => client.rpc("eth_test", [number])),
    ]);
    expect(missing?.status).toBe("rejected");
    expect(others.every(({ status }) => status === "fulfilled")).toBe(true);
    expect(endpoints.states()[0]?.batchSize).toBe(50);
  });
});

describe.concurrent("a node that lags", () => {
  const header = (number: number) => ({
    number: numberToHex(number),
    hash: `0x${number.toString().padStart(64, "0")}`,
    parentHash: `0x${"0".repeat(64)}`,
    timestamp: "0x1",
    gasLimit: "0x1c9c380",
    baseFeePerGas: "0x7",
  });
  const block = { blockHash: header(11).hash };

  test.each([
    ["-32014", error(-32014, "header not available")],
    ["header not found", error(-32000, "header not found")],
    ["an unknown block", error(-32000, "Unknown block")],
  ])("a read at a block that was seen is repeated until the node has it: %s", async (_, lagging) => {
    let isAsked = 0;
    const { client } = open([
      {
        answer: ({ method }) =>
          method === "eth_getBlockByNumber" ? { result: header(11) } : isAsked++ < 6 ? lagging : { result: "0x01" },
      },
    ]);
    await client.rpc("eth_getBlockByNumber", ["latest", false]);
    expect(await client.rpc("eth_call", [{}, block])).toBe("0x01");
  });

  test("a null head is one that is not there yet", async () => {
    let isAsked = 0;
    const { client } = open([{ answer: () => ({ result: isAsked++ < 5 ? null : header(11) }) }]);
    expect(await client.rpc("eth_getBlockByNumber", ["latest", false])).toMatchObject({ number: "0xb" });
  });

  test("is passed over for the URL that has the block, and for the one with the higher head", async () => {
    const node = (number: number): StubOptions => ({
      answer: ({ method }) =>
        method === "eth_getBlockByNumber"
          ? { result: header(number) }
          : number < 11
            ? error(-32000, "header not found")
            : { result: "0x01" },
    });
    let first = 11;
    const { client, nodes } = open([{ answer: (call) => node(first).answer?.(call) }, node(11)]);
    const askForHead = () => client.rpc("eth_getBlockByNumber", ["latest", false]);
    expect(await askForHead()).toMatchObject({ number: "0xb" });
    first = 10;
    expect(await askForHead()).toMatchObject({ number: "0xb" });
    expect(await client.rpc("eth_call", [{}, block])).toBe("0x01");
    expect(nodes[1]?.exchanges.flat()).toContain("eth_call");
  });
});

test("an error names the method, the place of the URL and what to do", async () => {
  const { client } = open([{ answer: () => error(-32603, "secret") }]);
  const failure = await client.rpc("eth_call", []).catch((thrown: unknown) => thrown);
  expect(String(failure)).toContain("eth_call, RPC URL 1); try again");
  expect(failure).toMatchObject({ details: { rpcMethod: "eth_call", endpoint: 0, failure: "node_error" } });
});

test("each request is reported with its purpose, compute units and bytes", async () => {
  const { client, reports } = open([{ answer: () => ({ result: [] }) }]);
  await client.rpc("eth_getLogs", [{}], { purpose: "verify" });
  expect(reports.find(({ method }) => method === "eth_getLogs")).toMatchObject({
    purpose: "verify",
    computeUnits: 60,
    outcome: "ok",
  });
  expect(reports.every(({ bytes }) => bytes > 30)).toBe(true);
});
