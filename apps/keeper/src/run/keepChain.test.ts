import { describe, expect, test } from "bun:test";
import { createFakeChain, type FakeChain } from "@dueday/keeper/test/fakeChain";
import { type Page, TOKEN } from "@dueday/keeper/test/fakeRemit";
import { account, blockedPlan, startFakeKeeper, truePlan } from "@dueday/keeper/test/startFakeKeeper";
import { parseTransaction } from "viem";
import { exitCode, KeeperError } from "../keeperError";
import type { KeeperNode } from "../node/keeperNode";

const from = account.address;
/** What the 100,000 gas of a remit() cost here, at 10 wei and a tip of 1. */
const COST = 1_100_000n;

function pagesOf(...nets: number[]): Page[] {
  return nets.map((net) => ({ payments: 2, fee: COST + BigInt(net), closes: true }));
}

/** The keeper's own transactions: settled, reverted, and what they earned and cost. */
function accountsOf(chain: FakeChain) {
  const own = chain.own();
  return {
    settled: own.filter(({ success }) => success).length,
    reverted: own.filter(({ success }) => !success).length,
  };
}

/** A node whose calls fail as long as `isLost`, as they do when it can't be reached. */
function losing(node: KeeperNode, isLost: (method: string) => boolean): KeeperNode {
  const wrapped = Object.entries(node).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      if (isLost(name)) throw new KeeperError(exitCode.UNREACHABLE, "the node can't be reached");
      // Each method keeps its own parameters.
      return (method as (...all: unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return Object.fromEntries(wrapped) as KeeperNode; // the same methods under the same names
}

describe("the cumulative rule", () => {
  test("a backlog that loses as a whole and earns in its first five: five are sent, with the reason and an exit code of its own", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(-50, 300, -10, 40, 5, -900, 100) });
    const { keep, lines } = startFakeKeeper({ chain, rules: { minProfitWei: 200n } });
    expect(await keep()).toBe(exitCode.UNPROFITABLE);
    expect(chain.state().done).toBe(5);
    expect(lines.filter((line) => line.startsWith("stopped:"))).toHaveLength(1);
    expect(lines.join("\n")).toContain("-0.0000000000000008 ETH at best");
  });

  test("nothing is sent for less than the least profit, and everything without one", async () => {
    const poor = createFakeChain({ from, pages: pagesOf(100) });
    expect(await startFakeKeeper({ chain: poor, rules: { minProfitWei: 101n } }).keep()).toBe(exitCode.UNPROFITABLE);
    expect(poor.signed).toEqual([]);
    const any = createFakeChain({ from, pages: pagesOf(-100, -100) });
    expect(await startFakeKeeper({ chain: any }).keep()).toBe(exitCode.DONE);
    expect(any.state().done).toBe(2);
  });
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

test("a stuck transaction is replaced with the same nonce and fees an eighth higher, up to the cap", async () => {
  // Gas doubles right after the first transaction is sent, and stays.
  const chain = createFakeChain({ from, pages: pagesOf(1, 1), baseFee: (block) => (block < 3 ? 10n : 40n) });
  const { keep } = startFakeKeeper({ chain, options: { windowMs: 10_000 } });
  expect(await keep()).toBe(exitCode.DONE);
  const sent = chain.signed.map((raw) => parseTransaction(raw));
  expect(sent.map(({ nonce = 0 }) => nonce)).toEqual([0, 0, 1]);
  const [first, second] = sent;
  expect(Number(second?.maxFeePerGas)).toBeGreaterThanOrEqual(Number(first?.maxFeePerGas) * 1.125);
  expect(Number(second?.maxPriorityFeePerGas)).toBeGreaterThanOrEqual(Number(first?.maxPriorityFeePerGas) * 1.125);
  expect(accountsOf(chain)).toEqual({ settled: 2, reverted: 0 });
});

test("where the cap forbids a higher fee, the transaction keeps waiting at its nonce and is mined when gas is cheap again", async () => {
  const chain = createFakeChain({
    from,
    pages: pagesOf(1),
    baseFee: (block) => (block >= 3 && block < 60 ? 40n : 10n),
  });
  const { keep } = startFakeKeeper({
    chain,
    rules: { maxGasPrice: 22n },
    options: { once: false, windowMs: 10_000, signal: untilDone(chain) },
  });
  await keep();
  for (const raw of chain.signed) expect(parseTransaction(raw)).toMatchObject({ nonce: 0 });
  for (const raw of chain.signed) expect(Number(parseTransaction(raw).maxFeePerGas)).toBeLessThanOrEqual(22);
  expect(accountsOf(chain)).toEqual({ settled: 1, reverted: 0 });
});

test("a nonce that is stuck at the start is recognised: it gets its time, then it is replaced, and is never left behind", async () => {
  for (const showsPool of [true, false]) {
    const chain = createFakeChain({
      from,
      pages: pagesOf(1, 1),
      showsPool,
      baseFee: (block) => (block < 3 ? 10n : 40n),
    });
    const killed = startFakeKeeper({
      chain,
      options: { windowMs: 10_000 },
      node: losing(chain.node, () => {
        if (chain.signed.length > 0) throw new Error("killed");
        return false;
      }),
    });
    expect(await killed.keep().catch((error: Error) => error.message)).toBe("killed");
    const restarted = startFakeKeeper({ chain });
    expect(await restarted.keep()).toBe(exitCode.DONE);
    expect(chain.signed.map((raw) => parseTransaction(raw).nonce ?? 0).at(1)).toBe(0);
    expect(accountsOf(chain)).toEqual({ settled: 2, reverted: 0 });
  }
});

test("a nonce that another program of the same key uses costs nothing: the plan is read again and goes on", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(1, 1, 1) });
  const node = { ...chain.node };
  let broadcasts = 0;
  node.broadcast = async (raw) => {
    broadcasts++;
    const result = await chain.node.broadcast(raw);
    if (broadcasts === 2) chain.sendForeign();
    return result;
  };
  const { keep, lines } = startFakeKeeper({ chain, node });
  expect(await keep()).toBe(exitCode.DONE);
  expect(lines.join("\n")).toContain("another program with the same key");
  expect(chain.own().map(({ success }) => success)).toEqual([true, true, true, true]);
  expect(chain.state()).toMatchObject({ done: 3, nonce: 4 });
});

test("after a reorganisation the lost transaction is sent again with its nonce, and the sums are those of the chain", async () => {
  for (const isLost of [true, false]) {
    const chain = createFakeChain({ from, pages: pagesOf(10, 20, 30) });
    const { keep, keeper, lines } = startFakeKeeper({ chain });
    expect(await keep()).toBe(exitCode.DONE);
    chain.reorganise(2, isLost);
    expect(chain.state().done).toBeLessThan(3);
    expect(await keep()).toBe(exitCode.DONE);
    expect(accountsOf(chain)).toEqual({ settled: 3, reverted: 0 });
    const { fees, settled, costWei } = keeper.ledger.totals();
    expect({ fees: fees.get(TOKEN), settled }).toEqual({ fees: 3n * COST + 60n, settled: 3 });
    expect(costWei).toBe(3n * COST);
    if (isLost) expect(lines.join("\n")).toContain("a reorganisation removed transaction");
  }
});

test("a reorganisation that frees an earlier nonce while a transaction waits leaves no gap: both are mined", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(1, 1, 1) });
  const node = { ...chain.node };
  let broadcasts = 0;
  node.broadcast = async (raw) => {
    const result = await chain.node.broadcast(raw);
    if (++broadcasts === 2) chain.reorganise(1, true);
    return result;
  };
  expect(await startFakeKeeper({ chain, node }).keep()).toBe(exitCode.DONE);
  expect(chain.state()).toMatchObject({ done: 3, nonce: 3 });
  expect(accountsOf(chain)).toEqual({ settled: 3, reverted: 0 });
});

test("nodes that are lost in the middle, while transactions are on their way, lose nothing", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(1, 1, 1, 1) });
  // 3 s answered, 4 s lost: every other transaction is mined while no node answers.
  const node = losing(chain.node, () => chain.clock.elapsed() % 7_000 > 3_000);
  const { keep } = startFakeKeeper({ chain, node, options: { once: false, signal: untilDone(chain) } });
  await keep();
  expect(accountsOf(chain)).toEqual({ settled: 4, reverted: 0 });
});

describe("an API that is lost", () => {
  /** Elapsed seconds between the polls of a keeper whose API fails so often. */
  async function pausesOf(failures: number, options: { once: boolean }) {
    const chain = createFakeChain({ from, pages: pagesOf(1) });
    const polls: number[] = [];
    const plan = () => {
      polls.push(chain.clock.elapsed());
      // Retry-After: 0.
      if (polls.length <= failures) throw new KeeperError(exitCode.UNREACHABLE, "slow down", 0);
      return truePlan(chain);
    };
    const signal = untilDone(chain);
    const keeper = startFakeKeeper({ chain, isOwn: false, plan, options: { ...options, signal } });
    const code = await keeper.keep();
    const pauses = polls.slice(1, failures + 1).map((at, index) => Math.round((at - (polls[index] ?? 0)) / 1_000));
    return { code, pauses, chain, keeper };
  }

  test("is waited for with pauses of a second at least, which double up to five minutes; then everything is settled", async () => {
    const { pauses, chain, keeper } = await pausesOf(11, { once: false });
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(accountsOf(chain)).toEqual({ settled: 1, reverted: 0 });
    expect(keeper.messages.filter((text) => text.includes("slow down"))).toHaveLength(1);
  });

  test("ends a keeper with --once with 5 after eight refusals", async () => {
    const { code, chain } = await pausesOf(99, { once: true });
    expect(code).toBe(exitCode.UNREACHABLE);
    expect(chain.signed).toEqual([]);
  });
});

describe("an API that lies", () => {
  const lies: [string, (plan: ReturnType<typeof truePlan>) => void][] = [
    [
      "promises fees that nobody pays",
      (plan) => {
        for (const { callerFees } of plan.plan.transactions)
          for (const fee of callerFees) fee.amountRaw = `${fee.amountRaw}000`;
      },
    ],
    [
      "lists payments that are not due",
      (plan) => {
        for (const transaction of plan.plan.transactions) transaction.payments += 5;
      },
    ],
    [
      "names another token",
      (plan) => {
        for (const { callerFees } of plan.plan.transactions) for (const fee of callerFees) fee.token = account.address;
      },
    ],
    [
      "closes other days",
      (plan) => {
        for (const transaction of plan.plan.transactions) transaction.closesDays = [9];
      },
    ],
  ];
  test.each(lies)("that %s gets nothing signed, and exit code 2", async (_, lie) => {
    const chain = createFakeChain({ from, pages: pagesOf(-500, -500) });
    const plan = () => {
      const changed = truePlan(chain);
      lie(changed);
      return changed;
    };
    const { keep, messages } = startFakeKeeper({ chain, isOwn: false, plan });
    expect(await keep()).toBe(exitCode.REFUSED);
    expect(chain.signed).toEqual([]);
    expect(messages.join("\n")).toContain("nothing was signed");
  });

  test("about gas costs nothing: costs are those that the keeper's own node simulates", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(-500) });
    const plan = () => {
      const cheap = truePlan(chain);
      for (const transaction of cheap.plan.transactions) transaction.gasUsed = "1";
      return cheap;
    };
    const { keep } = startFakeKeeper({ chain, isOwn: false, plan, rules: { minProfitWei: 0n } });
    expect(await keep()).toBe(exitCode.UNPROFITABLE);
    expect(chain.signed).toEqual([]);
  });

  test("about what is caught up ends a round, and about what is due costs nothing", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(1) });
    const { keep } = startFakeKeeper({ chain, isOwn: false });
    expect(await keep()).toBe(exitCode.DONE);
    const due = createFakeChain({ from, pages: pagesOf(1) });
    const stale = truePlan(due);
    due.sendRival();
    due.pass(4_000);
    const late = startFakeKeeper({ chain: due, isOwn: false, plan: () => stale });
    expect(await late.keep()).not.toBe(exitCode.DONE);
    expect(due.signed).toEqual([]);
  });
});

describe("other keepers", () => {
  test("a backlog that another keeper settles is left to it, and counts as lost", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(1, 1, 1) });
    const { keep, keeper } = startFakeKeeper({ chain, options: { windowMs: 4_000 } });
    const { countRivals } = chain.node;
    keeper.node.countRivals = async (after) => {
      if (chain.state().done < 3) chain.sendRival();
      return countRivals(after);
    };
    expect(await keep()).toBe(exitCode.DONE);
    expect(accountsOf(chain).reverted).toBeLessThanOrEqual(1);
    expect(keeper.ledger.totals().lost).toBeGreaterThan(0);
  });

  test("a remit() that waits in the pool is respected: nothing is sent beside it", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(1) });
    const { keep } = startFakeKeeper({ chain, options: { windowMs: 0 } });
    chain.sendRival();
    expect(await keep()).toBe(exitCode.DONE);
    expect(chain.signed).toEqual([]);
  });
});

test("a machine whose clock is a day wrong settles as usual, and its operator learns of it once", async () => {
  for (const shift of [-86_400_000, 86_400_000]) {
    const chain = createFakeChain({ from, pages: pagesOf(1, 1) });
    const { keep, messages } = startFakeKeeper({ chain, wall: () => chain.clock.wall() + shift });
    expect(await keep()).toBe(exitCode.DONE);
    expect(accountsOf(chain)).toEqual({ settled: 2, reverted: 0 });
    expect(messages.filter((text) => text.includes("clock"))).toHaveLength(1);
  }
});

/** Aborts when everything is settled, so that a keeper without `once` ends. */
function untilDone(chain: FakeChain): AbortSignal {
  const stop = new AbortController();
  const { sleep } = chain.clock;
  chain.clock.sleep = async (milliseconds) => {
    await sleep(milliseconds);
    if (chain.state().done === chain.pages.length) stop.abort();
  };
  return stop.signal;
}
