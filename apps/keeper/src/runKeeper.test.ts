import { expect, test } from "bun:test";
import { account } from "@dueday/keeper/test/startFakeKeeper";
import { exitCode } from "./keeperError";
import { runKeeper } from "./runKeeper";

test("nodes that can't be reached at the start are reported to the operator once, and in the summary of the day", async () => {
  const stop = new AbortController();
  const messages: string[] = [];
  let now = 0;
  const rules = { contract: null, minProfitWei: null, maxGasPrice: 1n, maxLossWei: null, prices: new Map() };
  const code = await runKeeper({
    settings: {
      api: null,
      key: null,
      chains: [{ chainId: 8453, rpcUrls: ["http://127.0.0.1:1"], ...rules }],
      intervalMs: 300_000,
      windowMs: 0,
      replaceAfterMs: 30_000,
      dryRun: false,
      once: false,
      log: null,
      metrics: { port: null, host: "127.0.0.1" },
      notify: { urls: ["https://example.org/hook"], gasDays: 7 },
    },
    account,
    log() {},
    clock: {
      elapsed: () => now,
      // A day ends after the report.
      wall: () => (messages.length === 0 ? 0 : 86_400_000),
      random: () => 0,
      async sleep(milliseconds) {
        now += milliseconds;
        if (now > 3_600_000) stop.abort();
        await Bun.sleep(1);
      },
    },
    signal: stop.signal,
    post: async (_, body) => void messages.push(JSON.parse(body).text),
  });
  expect(code).toBe(exitCode.DONE);
  const problem = "the node of chain 8453 (rpc_urls, --rpc) can't be reached";
  expect(messages).toEqual([
    expect.stringContaining(problem),
    expect.stringMatching(/^summary of 1970-01-01: still open: .* \(began 1970-01-01 00:00 UTC\)$/),
  ]);
  expect(messages[1]).toContain(problem);
});
