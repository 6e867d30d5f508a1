import { afterAll, expect, test } from "bun:test";
import { createMeta } from "./meta";

const block = { number: 100, hash: `0x${"1".repeat(64)}`, timestamp: 1_790_000_000 };
const server = Bun.serve({ port: 0, fetch: () => Response.json({ data: { _meta: { block } } }) });
afterAll(() => server.stop(true));

test.each([
  ["no head is known", null, false],
  ["the head is as far ahead as the stale limit", 60, false],
  ["the head is further ahead", 61, true],
  ["its node is behind the subgraph", -5, false],
])("a subgraph of some block, while %s (%p seconds): stale is %p", async (_, seconds, stale) => {
  const head = seconds === null ? null : BigInt(block.timestamp + seconds);
  const options = { url: server.url.href, apiKey: null, clock: () => 0, staleAfterMs: 60_000 };
  const readAsOf = createMeta({ ...options, headTimestamp: () => head });
  expect(await readAsOf()).toMatchObject({ blockNumber: "100", stale });
});
