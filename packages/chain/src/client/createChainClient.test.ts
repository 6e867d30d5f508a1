import { afterAll, describe, expect, test } from "bun:test";
import {
  type RpcStub,
  STUB_CHAIN_ID,
  type StubAnswer,
  type StubOptions,
  startRpcStub,
} from "@dueday/chain/test/startRpcStub";
import { type ErrorCode, ServiceError } from "@dueday/core/errors";
import { asServiceError } from "./asServiceError";
import { type ChainClientOptions, createChainClient } from "./createChainClient";
import type { RequestReport } from "./createFailOver";
import { RpcRefusal } from "./rpcOutcome";

const stubs: RpcStub[] = [];
afterAll(async () => {
  for (const stub of stubs) await stub.stop();
});

function stub(options: StubOptions): RpcStub {
  const started = startRpcStub(options);
  stubs.push(started);
  return started;
}

function clientOf(nodes: readonly Pick<RpcStub, "url">[], options: Partial<ChainClientOptions> = {}) {
  const rpcUrls = nodes.map((node) => node.url);
  return createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls, requestTimeoutMs: 10_000, ...options });
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error("it succeeded");
    },
    (error: unknown) => error,
  );
}

async function failureOf(work: Promise<unknown>): Promise<ServiceError> {
  const error = await errorOf(work);
  if (!(error instanceof ServiceError)) throw new Error("not a ServiceError", { cause: error });
  return error;
}

const BLOCK_NUMBER = { result: "0x10" };
const ok = () => BLOCK_NUMBER;
const HASH = `0x${"ab".repeat(32)}`;
const BLOCK = { result: { number: "0x10", hash: HASH, parentHash: HASH, timestamp: "0x1", gasLimit: "0x1c9c380" } };
const never = () => new Promise<Response>(() => {});
const html = () => new Response("<html>rate limit page</html>", { headers: { "content-type": "text/html" } });

// Each waits through the pauses between its tries.
describe.concurrent("an answer that is not a result", () => {
  const cases: [string, StubOptions, ErrorCode][] = [
    ["HTML with status 200", { respond: html }, "UPSTREAM_ERROR"],
    ["truncated JSON", { respond: () => new Response('[{"jsonrpc":"2.0","id":1,"resu') }, "UPSTREAM_ERROR"],
    ["an empty body", { respond: () => new Response("") }, "UPSTREAM_ERROR"],
    ["status 500", { respond: () => new Response("oops at http://internal/key", { status: 500 }) }, "UPSTREAM_ERROR"],
    ["status 429", { respond: () => new Response("slow down", { status: 429 }) }, "UPSTREAM_ERROR"],
    ["status 403 with HTML", { respond: () => new Response("<b>no</b>", { status: 403 }) }, "UPSTREAM_ERROR"],
    ["a null result", { answer: () => ({ result: null }) }, "UPSTREAM_ERROR"],
    ["an answer without result", { answer: () => ({ error: undefined }) }, "UPSTREAM_ERROR"],
    ["a missing entry of the batch", { answer: () => undefined }, "UPSTREAM_ERROR"],
    ["an internal error", { answer: () => ({ error: { code: -32603, message: "panic" } }) }, "UPSTREAM_ERROR"],
    ["silence", { respond: never }, "UPSTREAM_TIMEOUT"],
    ["another chain", { answer: ok, chainId: 1 }, "UPSTREAM_UNAVAILABLE"],
  ];
  for (const [name, options, code] of cases) {
    test(`${name} is ${code}, and nothing of the URL or the node's text is in it`, async () => {
      const node = stub(options);
      const timeouts =
        options.respond === never ? { requestTimeoutMs: 200, callTimeoutMs: 600 } : { callTimeoutMs: 4_000 };
      const error = await failureOf(clientOf([node], timeouts).rpc("eth_blockNumber", []));
      expect(error.code).toBe(code);
      const everything = `${error.message} ${error.stack} ${JSON.stringify(error.details)} ${Bun.inspect(error)}`;
      for (const secret of [node.url, new URL(node.url).host, "internal/key", "rate limit page", "panic"]) {
        expect(everything).not.toContain(secret);
      }
    });
  }

  test("a node that is not there is UPSTREAM_UNAVAILABLE", async () => {
    const node = stub({ answer: ok });
    await node.stop();
    const error = await failureOf(clientOf([node]).rpc("eth_blockNumber", []));
    expect(error.code).toBe("UPSTREAM_UNAVAILABLE");
    expect(Bun.inspect(error)).not.toContain(new URL(node.url).host);
  });

  test("an answer above the size limit is refused, with whatever length its headers state", async () => {
    const long = JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x".padEnd(5_000, "0") });
    const compressed = { headers: { "content-encoding": "gzip" } };
    const chunks = `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`;
    using liar = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket) => {
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`);
        },
      },
    });
    const urls = [
      stub({ answer: () => ({ result: "0x".padEnd(5_000, "0") }) }).url,
      stub({ respond: () => new Response(Bun.gzipSync(long), compressed) }).url,
      `http://127.0.0.1:${liar.port}`,
    ];
    for (const url of urls) {
      const error = await failureOf(clientOf([{ url }], { maxResponseBytes: 1_000 }).rpc("eth_call", []));
      expect(error.details).toMatchObject({ failure: "too_large" });
    }
  });

  test("viem's own actions carry the same error inside", async () => {
    const node = stub({ respond: html });
    const error = asServiceError(await errorOf(clientOf([node]).getBlockNumber()));
    expect(error.code).toBe("UPSTREAM_ERROR");
    expect(Bun.inspect(error)).not.toContain(new URL(node.url).host);
  });

  test("an unexpected result that makes viem throw a plain error is UPSTREAM_ERROR too", async () => {
    const node = stub({ answer: () => ({ result: { number: "nonsense" } }) });
    const error = asServiceError(await errorOf(clientOf([node]).getBlock()));
    expect(error.code).toBe("UPSTREAM_ERROR");
  });
});

describe("an answer about the call itself", () => {
  const data = "0x08c379a0";
  const dresses: [string, unknown][] = [
    ["code 3 with data", { code: 3, message: "execution reverted: 6", data }],
    ["-32000 with data", { code: -32000, message: "execution reverted", data }],
    ["-32015 with nested data", { code: -32015, message: "VM execution error.", data: { data } }],
    ["-32015 with text before the data", { code: -32015, message: "VM execution error.", data: `Reverted ${data}` }],
  ];
  for (const [name, error] of dresses) {
    test(`a revert dressed as ${name} comes out with its data, and is not tried again`, async () => {
      const node = stub({ answer: () => ({ error }) });
      const refusal = await errorOf(clientOf([node, node]).rpc("eth_call", []));
      expect(refusal).toBeInstanceOf(RpcRefusal);
      expect(refusal).toMatchObject({ data });
      expect(node.exchanges).toHaveLength(1);
    });
  }

  test("a revert reaches viem's decoding", async () => {
    const node = stub({ answer: () => ({ error: { code: 3, message: "execution reverted", data } }) });
    const error = await errorOf(clientOf([node]).call({ to: "0x0000000000000000000000000000000000000001" }));
    expect(String(error)).toContain("reverted");
    expect(String(error)).not.toContain(new URL(node.url).host);
  });

  test("an unknown method and a refused parameter are not tried again", async () => {
    for (const code of [-32601, -32602]) {
      const node = stub({ answer: () => ({ error: { code, message: "no" } }) });
      expect(await errorOf(clientOf([node]).rpc("eth_simulateV1", []))).toMatchObject({ code });
      expect(node.exchanges.flat().filter((method) => method === "eth_simulateV1")).toHaveLength(1);
    }
  });

  test("an unknown transaction may be null", async () => {
    const node = stub({ answer: () => ({ result: null }) });
    expect(await clientOf([node]).rpc("eth_getTransactionReceipt", ["0x00"])).toBeNull();
  });
});

/** 2^256 - 1. */
const MOST = `0x${"f".repeat(64)}`;

describe("fail-over", () => {
  test("tries the next URL, tries the failed one last for a while, and reports each request by the place of its URL", async () => {
    const reports: RequestReport[] = [];
    const bad = stub({ respond: html });
    const good = stub({ answer: ok });
    const client = clientOf([bad, good], { onRequest: (report) => reports.push(report) });
    expect(await client.rpc("eth_blockNumber", [])).toBe("0x10");
    expect(await client.rpc("eth_blockNumber", [])).toBe("0x10");
    expect(bad.exchanges).toHaveLength(1);
    const calls = reports.filter(({ method }) => method === "eth_blockNumber");
    expect(calls.map(({ urlIndex, outcome }) => [urlIndex, outcome])).toEqual([
      [0, "malformed"],
      [1, "ok"],
      [1, "ok"],
    ]);
  });

  test("a node that lacks the block is passed over for the one that has it", async () => {
    const lacking: [string, () => StubAnswer][] = [
      ["eth_getBlockByHash", () => ({ result: null })],
      ["eth_call", () => ({ error: { code: -32000, message: "header not found" } })],
      ["eth_call", () => ({ error: { code: -32001, message: "Resource not found" } })],
      ["eth_call", () => ({ error: { code: -32602, message: "BlockOutOfRangeError: block height is 0" } })],
    ];
    for (const [method, answer] of lacking) {
      const stale = stub({ answer });
      const found = method === "eth_call" ? BLOCK_NUMBER : BLOCK;
      const fresh = stub({ answer: () => found });
      expect(await clientOf([stale, fresh]).rpc(method, [HASH])).toEqual(found.result);
      expect(stale.exchanges).toHaveLength(1);
    }
  });

  const receipt = { transactionHash: HASH, gasUsed: "0x5208", effectiveGasPrice: "0x1", l1Fee: "0x1" };
  test("a receipt is taken from the first node, with and without a fee for L1 data", async () => {
    const { l1Fee: _, ...withoutL1 } = receipt;
    for (const result of [receipt, withoutL1, { ...receipt, l1Fee: null }]) {
      const node = stub({ answer: () => ({ result }) });
      expect(await clientOf([node]).rpc("eth_getTransactionReceipt", [HASH])).toEqual(result);
    }
  });

  const spoiled: [string, string, unknown][] = [
    ["half a byte of a word is missing", "eth_call", `0x${"1".repeat(63)}`],
    ["the result of a call is a number", "eth_call", 16],
    ["a word of storage is short", "eth_getStorageAt", `0x${"1".repeat(62)}`],
    ["the block is another one", "eth_getBlockByHash", { ...BLOCK.result, hash: `0x${"cd".repeat(32)}` }],
    [
      "the receipt is of another transaction",
      "eth_getTransactionReceipt",
      { ...receipt, transactionHash: `0x${"cd".repeat(32)}` },
    ],
    ["the price in a receipt is beyond reason", "eth_getTransactionReceipt", { ...receipt, effectiveGasPrice: MOST }],
    ["the gas in a receipt is beyond reason", "eth_getTransactionReceipt", { ...receipt, gasUsed: MOST }],
    ["the L1 fee in a receipt is beyond reason", "eth_getTransactionReceipt", { ...receipt, l1Fee: MOST }],
    ["a receipt has no price", "eth_getTransactionReceipt", { ...receipt, effectiveGasPrice: undefined }],
    ["a transaction takes no gas", "eth_estimateGas", "0x0"],
    ["a gas price is beyond reason", "eth_gasPrice", MOST],
  ];
  test.each(spoiled)("where %s, the next node is asked", async (_, method, result) => {
    const nodes = [{ result }, { error: { code: 3, message: "execution reverted" } }].map((answer) =>
      stub({ answer: () => answer }),
    );
    expect(await errorOf(clientOf(nodes).rpc(method, [HASH]))).toBeInstanceOf(RpcRefusal);
  });

  test("of two answers to one call neither is used, and an answer to another call is not either", async () => {
    const answers: ((id: number) => object[])[] = [
      (id) => [
        { id, result: "0x10" },
        { id, result: "0x11" },
      ],
      (id) => [{ id: id + 1_000, result: "0x11" }],
      (id) => [{ id, result: "0x11", error: { code: -32000, message: "failed" } }],
      (id) => [{ id, error: {} }],
    ];
    const failures = answers.map((spoil) => {
      const node = stub({
        respond: (requests) =>
          Response.json(
            requests.flatMap(({ id, method }) =>
              method === "eth_chainId" ? [{ id, result: `0x${STUB_CHAIN_ID.toString(16)}` }] : spoil(id),
            ),
          ),
      });
      return failureOf(clientOf([node]).rpc("eth_blockNumber", []));
    });
    for (const { details } of await Promise.all(failures)) expect(details).toMatchObject({ failure: "malformed" });
  });

  test("of a batch, only what failed goes on", async () => {
    const half = stub({
      answer: ({ method }) => (method === "eth_gasPrice" ? { error: { code: -32603, message: "x" } } : ok()),
    });
    const good = stub({ answer: ok });
    const client = clientOf([half, good]);
    await Promise.all([client.rpc("eth_blockNumber", []), client.rpc("eth_gasPrice", [])]);
    expect(good.exchanges.map((methods) => methods.filter((method) => method !== "eth_chainId"))).toEqual([
      ["eth_gasPrice"],
    ]);
  });

  test("a node of another chain is never believed", async () => {
    const other = stub({ answer: () => ({ result: "0x99" }), chainId: 1 });
    const good = stub({ answer: ok });
    expect(await clientOf([other, good]).rpc("eth_blockNumber", [])).toBe("0x10");
  });

  test("a URL that begins to lead to a node of another chain is noticed with the next head", async () => {
    let chainId = `0x${STUB_CHAIN_ID.toString(16)}`;
    const node = stub({
      respond: (requests) =>
        Response.json(
          requests.map(({ id, method }) => ({
            jsonrpc: "2.0",
            id,
            result: method === "eth_chainId" ? chainId : BLOCK.result,
          })),
        ),
    });
    const client = clientOf([node]);
    const askForHead = () => client.rpc("eth_getBlockByNumber", ["latest", false]);
    expect(await askForHead()).toEqual(BLOCK.result);
    chainId = "0x1";
    expect((await failureOf(askForHead())).details).toMatchObject({ failure: "wrong_chain" });
  });

  test("a node that works again after two failures is used", async () => {
    let calls = 0;
    const node = stub({ respond: () => (calls++ < 2 ? new Response("", { status: 503 }) : undefined), answer: ok });
    expect(await clientOf([node]).rpc("eth_blockNumber", [])).toBe("0x10");
    expect(node.exchanges).toHaveLength(3);
  });

  test("a node that refused calls as too many is the first again some seconds later", async () => {
    let now = 0;
    let refusals = 1;
    const first = stub({
      respond: () => (refusals-- > 0 ? new Response("", { status: 429 }) : undefined),
      answer: () => ({ result: "0x1" }),
    });
    const client = clientOf([first, stub({ answer: () => ({ result: "0x2" }) })], { clock: () => now });
    expect(await client.rpc("eth_blockNumber", [])).toBe("0x2");
    now += 10_000;
    expect(await client.rpc("eth_blockNumber", [])).toBe("0x1");
  });

  test("a Retry-After of an hour does not hold the call for longer than its deadline", async () => {
    const headers = { "retry-after": "3600" };
    const node = stub({ respond: () => new Response("", { status: 429, headers }) });
    const error = await failureOf(clientOf([node], { callTimeoutMs: 4_000 }).rpc("eth_blockNumber", []));
    expect(error.code).toBe("UPSTREAM_ERROR");
    expect(node.exchanges).toHaveLength(1);
  });

  test("a URL with credentials is called with them as a header", async () => {
    const seen: (string | null)[] = [];
    const server = Bun.serve({
      port: 0,
      fetch(request) {
        seen.push(request.headers.get("authorization"));
        return new Response("");
      },
    });
    const url = `http://user:pass%20word@127.0.0.1:${server.port}/`;
    const client = createChainClient({ chainId: 1, rpcUrls: [url], requestTimeoutMs: 5_000, callTimeoutMs: 3_000 });
    await errorOf(client.rpc("eth_chainId", []));
    await server.stop(true);
    expect(seen[0]).toBe(`Basic ${btoa("user:pass word")}`);
  });
});

describe("batches", () => {
  test("the calls of one tick are one HTTP request", async () => {
    const node = stub({ answer: ({ params }) => ({ result: `0x${params[0]}` }) });
    const client = clientOf([node]);
    const numbers = Array.from({ length: 40 }, (_, index) => index);
    const answers = await Promise.all(numbers.map((number) => client.rpc("eth_test", [number])));
    expect(answers).toEqual(numbers.map((number) => `0x${number}`));
    expect(node.exchanges).toHaveLength(1);
  });

  test("answers in another order find their requests", async () => {
    const node = stub({
      respond: (requests) =>
        Response.json(
          requests.toReversed().map(({ id, method, params }) => ({
            jsonrpc: "2.0",
            id,
            result: method === "eth_chainId" ? "0x7a69" : `0x${params[0]}`,
          })),
        ),
    });
    const client = clientOf([node]);
    expect(await Promise.all([client.rpc("eth_test", [1]), client.rpc("eth_test", [2])])).toEqual(["0x1", "0x2"]);
  });

  test("a node that takes no batches gets single requests from then on", async () => {
    const refused = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "batches are not supported" } };
    const node = stub({
      respond: (_, isBatch) => (isBatch ? Response.json(refused, { status: 400 }) : undefined),
      answer: ok,
    });
    const client = clientOf([node]);
    expect(await Promise.all([client.rpc("eth_a", []), client.rpc("eth_b", [])])).toEqual(["0x10", "0x10"]);
    expect(node.exchanges.filter((methods) => methods.length > 1)).toHaveLength(1);
    await Promise.all([client.rpc("eth_a", []), client.rpc("eth_b", [])]);
    expect(node.exchanges.filter((methods) => methods.length > 1)).toHaveLength(1);
  });
});
