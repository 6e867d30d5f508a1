import { afterAll, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { createMeta } from "./meta";
import { querySubgraph } from "./querySubgraph";

const block = { number: 100, hash: `0x${"1".repeat(64)}`, timestamp: 1_790_000_000 };
const server = Bun.serve({ port: 0, fetch: () => Response.json({ data: { _meta: { block } } }) });
const errors = Bun.serve({ port: 0, fetch: () => Response.json(refusals.shift() ?? { data: { _meta: { block } } }) });
const endless = Bun.serve({ port: 0, fetch: () => new Response(spaces()) });
afterAll(() => Promise.all([server, errors, endless].map((each) => each.stop(true))));
let refusals: object[] = [];

/** More than an answer may have, without a length in its header. */
async function* spaces() {
  for (let mebibytes = 0; mebibytes < 40; mebibytes++) yield new Uint8Array(1024 * 1024).fill(32);
  yield new TextEncoder().encode('{ "data": {} }');
}

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

test("an endpoint that rejects _meta is asked for it again after ten minutes, so that a passing error does not hide for ever that it is behind", async () => {
  let now = 0;
  refusals = [{ errors: [{ message: "bad indexers" }] }];
  const options = { url: errors.url.href, apiKey: null, staleAfterMs: 60_000, headTimestamp: () => null };
  const readAsOf = createMeta({ ...options, clock: () => now });
  expect(await readAsOf()).toBeNull();
  now = 599_999;
  expect(await readAsOf()).toBeNull();
  now = 600_000;
  expect(await readAsOf()).toMatchObject({ blockNumber: "100" });
});

test("an answer that is longer than 32 MiB is not read, whether or not its header has the length", async () => {
  const asked = querySubgraph({ url: endless.url.href, apiKey: null }, "{ subLogs { id } }", Type.Object({}));
  await expect(asked).rejects.toMatchObject({ code: "UPSTREAM_ERROR", details: { failure: "too_large" } });
});
