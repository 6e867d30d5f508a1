import { afterAll, expect, test } from "bun:test";
import { createMeta } from "./meta";

const block = { number: 100, hash: `0x${"1".repeat(64)}`, timestamp: 1_790_000_000 };
const server = Bun.serve({ port: 0, fetch: () => Response.json({ data: { _meta: { block } } }) });
afterAll(() => server.stop(true));

test.each([
  ["no head is known", null, false],
  ["the head is as far ahead as the chain's finality", 110n, false],
  ["the head is further ahead", 111n, true],
  ["its node is behind the subgraph", 90n, false],
])("a subgraph at block 100, while %s (%p): stale is %p", async (_, head, stale) => {
  const url = server.url.href;
  const readAsOf = createMeta({ url, apiKey: null, clock: () => 0, headNumber: () => head, finalityBlocks: 10 });
  expect(await readAsOf()).toMatchObject({ blockNumber: "100", stale });
});
