import { expect, test } from "bun:test";
import { type FailureKind, RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { CONTRACT } from "@dueday/worker/test/stubChain";
import { createNarrowingFetch } from "./createNarrowingFetch";
import { createRangeSize } from "./createRangeSize";

/** Fetches 1,000 blocks of a node that fails with `kind`. Returns the requests that it was sent, and the learned size. */
async function fetchFrom(kind: FailureKind) {
  let requests = 0;
  const source = {
    chain: { contract: CONTRACT },
    chainData: {
      rpc: async (method: string) => {
        requests++;
        throw upstreamError({ kind }, method);
      },
    },
    logger: createLogger(parseConfig({ LOG_LEVEL: "silent" })),
  };
  const size = createRangeSize({ first: 1_000 });
  await expect(createNarrowingFetch(source, size)(1, 1_000)).rejects.toMatchObject({ details: { failure: kind } });
  return { requests, size: size.current() };
}

test.each(["rate_limited", "overloaded", "unreachable"] as const)(
  "a range that fails with %s is not split: more requests would not help",
  async (kind) => {
    expect(await fetchFrom(kind)).toEqual({ requests: 1, size: 1_000 });
  },
);

test.each(["too_large", "timeout"] as const)("a range that fails with %s is split, down to one block", async (kind) => {
  const { requests, size } = await fetchFrom(kind);
  expect(requests).toBeGreaterThan(9);
  expect(size).toBe(1);
});

/** Reads 1,000 blocks from a node that refuses more than ten at once with this error. */
async function fetchWithin(code: number, messageOf: (from: number, to: number) => string) {
  let refusals = 0;
  const source = {
    chain: { contract: CONTRACT },
    chainData: {
      async rpc(_: string, params: unknown) {
        // The filter of an eth_getLogs.
        const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
        const [from, to] = [Number(fromBlock), Number(toBlock)];
        if (to - from < 10) return [];
        refusals++;
        throw new RpcRefusal(code, messageOf(from, to), undefined);
      },
    },
    logger: createLogger(parseConfig({ LOG_LEVEL: "silent" })),
  };
  const size = createRangeSize({ first: 1_000 });
  expect(await createNarrowingFetch(source, size)(53_556_127, 53_557_126)).toEqual([]);
  return { refusals, size: size.current() };
}

test.each([
  [-32602, "range 1000 exceeds limit of 10"],
  [-32600, "You can make eth_getLogs requests with up to a 10 block range"],
  [-32062, "Block range is too large, maximum is 10"],
  [-32005, "block range is too wide, 10 at most"],
  [-32000, "block range is larger than max block range, block range = 1000, max block range = 10"],
])("a refusal with code %p that states the allowed blocks is the only one", async (code, message) => {
  expect(await fetchWithin(code, () => message)).toEqual({ refusals: 1, size: 10 });
});

test("a refusal that suggests the range that was asked for is answered by halves", async () => {
  const { refusals, size } = await fetchWithin(
    -32602,
    (from, to) => `query exceeds max results 20000, retry with the range ${from}-${to}`,
  );
  expect(size).toBeWithin(5, 11);
  expect(refusals).toBeLessThan(20);
});
