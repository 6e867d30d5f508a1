import { describe, expect, test } from "bun:test";
import { createFakeChain } from "@dueday/keeper/test/fakeChain";
import { COST, pagesOf } from "@dueday/keeper/test/fakeRemit";
import {
  account,
  accountsOf,
  blockedPlan,
  startFakeKeeper,
  truePlan,
  untilElapsed,
} from "@dueday/keeper/test/startFakeKeeper";
import { losing } from "@dueday/keeper/test/wrapNode";
import { parseTransaction } from "viem";
import { exitCode } from "../keeperError";

const from = account.address;

describe("the cumulative rule", () => {
  test("a backlog that loses as a whole and earns in its first five: five are sent, with the reason and a distinct exit code", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(-50, 300, -10, 40, 5, -900, 100) });
    const { keep, lines } = startFakeKeeper({ chain, rules: { minProfitWei: 200n } });
    expect(await keep()).toBe(exitCode.UNPROFITABLE);
    expect(chain.state().done).toBe(5);
    expect(lines.filter((line) => line.startsWith("nothing is sent:"))).toHaveLength(1);
    expect(lines.join("\n")).toContain("-0.0000000000000008 ETH at best");
  });

  test("nothing is sent for less than the least profit, and everything without one", async () => {
    const poor = createFakeChain({ from, pages: pagesOf(100) });
    expect(await startFakeKeeper({ chain: poor, rules: { minProfitWei: 101n } }).keep()).toBe(exitCode.UNPROFITABLE);
    expect(poor.signed).toEqual([]);
    const unrestricted = createFakeChain({ from, pages: pagesOf(-100, -100) });
    expect(await startFakeKeeper({ chain: unrestricted }).keep()).toBe(exitCode.DONE);
    expect(unrestricted.state().done).toBe(2);
  });
});

test("a page that takes much more gas when it is signed than in the plan is judged by that gas: no loss, and nothing above the gas limit", async () => {
  const run = async (gas: bigint, rules: { minProfitWei?: bigint; gasCap?: bigint }) => {
    const chain = createFakeChain({ from, pages: pagesOf(1_000) });
    const estimateRemit: typeof chain.node.estimateRemit = async (...asked) => ({
      ...(await chain.node.estimateRemit(...asked)),
      gas,
    });
    const { keep } = startFakeKeeper({ chain, node: { ...chain.node, estimateRemit }, rules });
    return [await keep(), chain.signed.length];
  };
  expect(await run(100_000n, { minProfitWei: 0n, gasCap: 150_000n })).toEqual([exitCode.DONE, 1]);
  expect(await run(1_000_000n, { minProfitWei: 0n })).toEqual([exitCode.UNPROFITABLE, 0]);
  expect(await run(200_000n, { gasCap: 150_000n })).toEqual([exitCode.BLOCKED, 0]);
});

test("the loss limit holds for the gas limit that is signed, where the page takes a little more gas than in the plan", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(1_000) });
  const estimateRemit: typeof chain.node.estimateRemit = async (...asked) => ({
    ...(await chain.node.estimateRemit(...asked)),
    gas: 119_000n,
  });
  const maxLossWei = 1_700_000n;
  const { keep } = startFakeKeeper({ chain, node: { ...chain.node, estimateRemit }, rules: { maxLossWei } });
  expect(await keep()).toBe(exitCode.DONE);
  const [{ gas = 0n, maxFeePerGas = 0n } = {}] = chain.signed.map((raw) => parseTransaction(raw));
  expect(gas).toBe(142_800n);
  expect(gas * maxFeePerGas).toBeLessThanOrEqual(maxLossWei);
});

test("exit codes differ: blocked 3, out of gas 7, gas above the limit 6, an unreachable node 5", async () => {
  const run = async (given: Partial<Parameters<typeof startFakeKeeper>[0]>, balance = 10n ** 18n) => {
    const chain = createFakeChain({ from, pages: pagesOf(1), balance });
    return startFakeKeeper({ chain, ...given }).keep();
  };
  expect(await run({ plan: blockedPlan })).toBe(exitCode.BLOCKED);
  expect(await run({}, COST)).toBe(exitCode.OUT_OF_GAS);
  expect(await run({ rules: { maxGasPrice: 10n } })).toBe(exitCode.UNPROFITABLE);
  const chain = createFakeChain({ from, pages: pagesOf(1) });
  let isLost = false;
  const { keep } = startFakeKeeper({ chain, node: losing(chain.node, () => isLost) });
  isLost = true;
  expect(await keep()).toBe(exitCode.UNREACHABLE);
});

test("a balance that ends in the middle: what it pays for is settled, then the keeper stops; after a refill it goes on", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(1, 1, 1, 1), balance: 3n * COST });
  const keeper = startFakeKeeper({ chain });
  expect(await keeper.keep()).toBe(exitCode.OUT_OF_GAS);
  expect(chain.state().done).toBe(2);
  expect(keeper.messages.join("\n")).toContain("ETH");
  chain.setBalance(10n * COST);
  expect(await keeper.keep()).toBe(exitCode.DONE);
  expect(accountsOf(chain)).toEqual({ settled: 4, reverted: 0 });
});

test("a keeper without ether is no longer reported when another one has settled the backlog", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(1), balance: 1n });
  const { sleep } = chain.clock;
  chain.clock.sleep = async (milliseconds) => {
    await sleep(milliseconds);
    if (chain.clock.elapsed() > 200_000 && chain.state().done === 0) chain.sendRival();
  };
  const signal = untilElapsed(chain, 600_000);
  const { keep, raised, messages } = startFakeKeeper({ chain, options: { once: false, intervalMs: 60_000, signal } });
  await keep();
  expect(messages).toEqual([expect.stringContaining("the next transaction needs"), "the backlog is settled"]);
  expect([...raised]).toEqual([]);
});

test("a blocked backlog has its lag, and payments that the paging misses are in the log and in a message", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(1, 1) });
  const missed = [{ id: `0x${"11".repeat(32)}`, dayNumber: 20_001, subscribers: 3 }] as const;
  const plan = () => ({ ...blockedPlan(), missed: [...missed] });
  const { keep, status, lines, messages } = startFakeKeeper({ chain, plan });
  expect(await keep()).toBe(exitCode.BLOCKED);
  expect(status.lagSeconds).toBeGreaterThanOrEqual(2 * 86_400);
  for (const texts of [lines, messages]) expect(texts).toContainEqual(expect.stringContaining("skip 3 subscribers"));
});

describe("other keepers", () => {
  test("a backlog that another keeper settles is left to it, and counts as lost", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(1, 1, 1) });
    const { keep, keeper } = startFakeKeeper({ chain, options: { windowMs: 4_000 } });
    const { rivals } = chain.node;
    keeper.node.rivals = async (after) => {
      if (chain.state().done < 3) chain.sendRival();
      return rivals(after);
    };
    expect(await keep()).toBe(exitCode.DONE);
    expect(accountsOf(chain).reverted).toBeLessThanOrEqual(1);
    expect(keeper.ledger.totals().lost).toBeGreaterThan(0);
  });

  test("a remit() that waits in the pool is respected: nothing is sent beside it, and the rest after it", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(1, 1) });
    const settledBefore: number[] = [];
    const node = { ...chain.node };
    node.broadcast = (raw) => {
      settledBefore.push(chain.state().done);
      return chain.node.broadcast(raw);
    };
    const { keep } = startFakeKeeper({ chain, node, options: { windowMs: 0 } });
    chain.sendRival();
    expect(await keep()).toBe(exitCode.DONE);
    expect(settledBefore).toEqual([1]);
  });

  test.each([
    ["the latest block", undefined],
    ["a block that does not exist yet", 10n ** 18n],
  ])(
    "a page of another keeper that closes no day is noticed with a plan of %s, and the backlog is left to it for a while",
    async (_, planBlock) => {
      const pages = pagesOf(1, 1).map((page, index) => ({ ...page, closes: index === 1 }));
      const chain = createFakeChain({ from, pages });
      const node = { ...chain.node };
      let isFirst = true;
      node.market = () => {
        // The plan is read already, and nothing is signed yet: the other keeper is faster.
        if (isFirst) {
          isFirst = false;
          chain.sendRival();
          chain.pass(2_000);
        }
        return chain.node.market();
      };
      const { keep, lines } = startFakeKeeper({
        chain,
        node,
        options: { windowMs: 0 },
        ...(planBlock && { planBlock }),
      });
      expect(await keep()).toBe(exitCode.DONE);
      expect(lines).toContain("another keeper settles this backlog");
      expect(accountsOf(chain)).toEqual({ settled: 1, reverted: 0 });
    },
  );
});

test("a machine whose clock is a day wrong settles as usual, and its operator learns of it once", async () => {
  for (const shift of [-86_400_000, 86_400_000]) {
    const chain = createFakeChain({ from, pages: pagesOf(1, 1) });
    const signal = untilElapsed(chain, 3_600_000);
    const wall = () => chain.clock.wall() + shift;
    const { keep, messages } = startFakeKeeper({ chain, wall, options: { once: false, signal } });
    expect(await keep()).toBe(exitCode.DONE);
    expect(accountsOf(chain)).toEqual({ settled: 2, reverted: 0 });
    expect(messages.filter((text) => text.includes("clock"))).toEqual([expect.stringMatching(/ 86(?:399|40[01]) s /)]);
  }
});

test.each(["is behind its own simulation", "lists no transactions"])(
  "an API that %s is asked again after a second or more, not at once",
  async (fault) => {
    const chain = createFakeChain({ from, pages: pagesOf(1) });
    const due = truePlan(chain);
    const times: number[] = [];
    let calls = 0;
    const plan = () => {
      // Polls and reads take turns.
      const isPoll = calls++ % 2 === 0;
      if (isPoll) times.push(chain.clock.elapsed());
      const isOver = times.length > 10;
      if (isOver || (fault.startsWith("is behind") && !isPoll))
        return { ...due, ready: false, reason: "caught_up" as const };
      return fault.startsWith("lists") ? { ...due, plan: { ...due.plan, transactions: [] } } : due;
    };
    expect(await startFakeKeeper({ chain, plan }).keep()).toBe(exitCode.DONE);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses).toHaveLength(10);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
    expect(chain.signed).toEqual([]);
  },
);

test("blocks that come late for some minutes are not taken for a wrong clock", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(1) });
  const signal = untilElapsed(chain, 6 * 3_600_000);
  // Seven minutes of every half an hour.
  const late = () => (chain.clock.elapsed() % 1_800_000 < 420_000 ? 400_000 : 0);
  const wall = () => chain.clock.wall() + late();
  const { keep, messages } = startFakeKeeper({ chain, wall, options: { once: false, intervalMs: 60_000, signal } });
  await keep();
  expect(messages.filter((text) => text.includes("clock"))).toEqual([]);
});
