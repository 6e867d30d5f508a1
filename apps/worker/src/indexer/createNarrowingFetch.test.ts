import { expect, test } from "bun:test";
import type { FailureKind } from "@dueday/chain/client/rpcOutcome";
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
