import { describe, expect, test } from "bun:test";
import {
  createFakeChain,
  type FakeChain,
  type FakeChainOptions,
  type Misbehaviour,
} from "@dueday/keeper/test/fakeChain";
import { missing } from "@dueday/keeper/test/fakeNode";
import { COST, type Page, pagesOf, TOKEN } from "@dueday/keeper/test/fakeRemit";
import { account, accountsOf, startFakeKeeper, untilElapsed } from "@dueday/keeper/test/startFakeKeeper";
import { losing } from "@dueday/keeper/test/wrapNode";
import { parseTransaction } from "viem";
import { exitCode } from "../keeperError";
import type { KeeperNode } from "../node/keeperNode";

const from = account.address;
const HOUR_MS = 3_600_000;
/** Pages that cost nothing to judge: a poll a minute finds what is due. */
const options = { once: false, intervalMs: 60_000, windowMs: 0 };

/** A backlog whose second page misbehaves where it is mined, and passes every simulation. */
function trap(how: Misbehaviour) {
  const pages = pagesOf(10, 20, 30);
  const trapped = pages[1];
  return createFakeChain({ from, pages, misbehaviour: (page: Page) => (page === trapped ? how : "as planned") });
}

describe("a transaction that passes every simulation and settles nothing", () => {
  test.each<[Misbehaviour, string]>([
    ["reverts", "no remit() of another keeper came before it"],
    ["changes nothing", "settled nothing"],
  ])(
    "%s: two are lost, each with the true reason, then the backlog is left alone for growing pauses",
    async (how, reason) => {
      const chain = trap(how);
      const signal = untilElapsed(chain, 8 * HOUR_MS);
      const times: number[] = [];
      const node = { ...chain.node };
      node.broadcast = (raw) => {
        times.push(chain.clock.elapsed());
        return chain.node.broadcast(raw);
      };
      const { keep, keeper, lines, messages } = startFakeKeeper({
        chain,
        node,
        rules: { maxLossWei: 100n * COST },
        options: { ...options, signal },
      });
      await keep();
      const lost = times.slice(1);
      const pauses = lost.slice(1).map((at, index) => Math.round((at - (lost[index] ?? 0)) / 60_000));
      expect(pauses).toEqual([0, 10, 20, 40, 80, 160]);
      expect(lines.filter((line) => line.includes(reason))).toHaveLength(lost.length);
      expect(lines.join("\n")).not.toContain("faster");
      expect(messages.filter((text) => text.includes("left alone for"))).toHaveLength(1);
      expect(keeper.ledger.totals()).toMatchObject({
        settled: 1,
        reverted: lost.length,
        unexplained: lost.length,
        lost: 0,
        lossWei: BigInt(lost.length) * COST,
      });
    },
  );

  test("ends a keeper with --once with 4, after one", async () => {
    const chain = trap("reverts");
    expect(await startFakeKeeper({ chain }).keep()).toBe(exitCode.TRANSACTION_FAILED);
    expect(chain.own().filter(({ success }) => !success)).toHaveLength(1);
  });

  test("costs at most five transactions in any 24 hours, or what max_loss_eth_per_day allows, and the operator learns why nothing is sent", async () => {
    for (const maxLossWei of [null, 2n * COST]) {
      const chain = trap("reverts");
      const signal = untilElapsed(chain, 30 * HOUR_MS);
      const { keep, messages } = startFakeKeeper({ chain, rules: { maxLossWei }, options: { ...options, signal } });
      await keep();
      const lost = chain.own().filter(({ success }) => !success);
      const most = maxLossWei ?? 5n * COST;
      for (const { blockNumber } of lost) {
        const day = lost.filter(
          (each) => each.blockNumber <= blockNumber && blockNumber - each.blockNumber < 24 * 18_000,
        );
        expect(day.reduce((sum, { costWei }) => sum + costWei, 0n)).toBeLessThanOrEqual(most);
      }
      expect(lost.length).toBeGreaterThan(1);
      expect(messages.filter((text) => text.startsWith("nothing is sent:"))).not.toEqual([]);
    }
  });
});

test("a token that pays no fee where gas has a price: with a least profit, two such transactions end the backlog", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(10, 20, 30, 40), misbehaviour: () => "earns nothing" });
  const signal = untilElapsed(chain, HOUR_MS / 10);
  const rules = { minProfitWei: 0n };
  const { keep, keeper, messages } = startFakeKeeper({ chain, rules, options: { ...options, signal } });
  await keep();
  expect(chain.own()).toHaveLength(2);
  expect(keeper.losses.sum()).toBe(2n * COST);
  expect(messages.join("\n")).toContain("earned less than when it was simulated");
});

test("a page that another keeper settles while a backlog is left alone is noticed, and the next one is tried at once", async () => {
  const chain = trap("reverts");
  let isHelped = false;
  const { sleep } = chain.clock;
  chain.clock.sleep = async (milliseconds) => {
    await sleep(milliseconds);
    if (isHelped || chain.clock.elapsed() < 120_000) return;
    isHelped = true;
    chain.sendRival();
  };
  const signal = untilElapsed(chain, HOUR_MS / 10);
  const { keep, messages } = startFakeKeeper({ chain, options: { ...options, signal } });
  await keep();
  expect(chain.state().done).toBe(3);
  expect(accountsOf(chain)).toEqual({ settled: 2, reverted: 2 });
  expect(messages.join("\n")).toContain("the backlog is settled");
});

describe("a lost race", () => {
  type Race = Pick<FakeChainOptions, "misbehaviour"> & {
    rivals?: (node: KeeperNode) => KeeperNode["rivals"];
    /** How long before the keeper's transaction the rival's is sent. */
    aheadMs?: number;
    /** The higher one comes first in a block; the keeper's is 1. */
    tip?: bigint;
    once?: boolean;
    planBlock?: bigint;
  };

  /** A rival sends remit() for the only page, after the keeper has decided. */
  async function race({
    misbehaviour,
    rivals = (node) => node.rivals,
    aheadMs = 0,
    tip,
    once = true,
    planBlock,
  }: Race = {}) {
    const chain = createFakeChain({
      from,
      pages: pagesOf(10),
      showsPool: false,
      ...(misbehaviour !== undefined && { misbehaviour }),
    });
    const node = { ...chain.node, rivals: rivals(chain.node) };
    node.broadcast = async (raw) => {
      // Some blocks after the one at which the keeper has decided.
      chain.pass(1_000);
      chain.sendRival(tip);
      chain.pass(aheadMs);
      return chain.node.broadcast(raw);
    };
    const signal = untilElapsed(chain, 60_000);
    const keeper = startFakeKeeper({ chain, node, options: { once, signal }, ...(planBlock && { planBlock }) });
    const code = await keeper.keep();
    return { chain, code, ...keeper };
  }

  test("is counted once, with the remit() of the rival that a later poll finds", async () => {
    const { keeper } = await race({ once: false });
    expect(keeper.ledger.totals()).toMatchObject({ reverted: 1, lost: 1 });
  });

  test("needs a rival's log, and names the rival", async () => {
    const { chain, code, lines, keeper } = await race();
    expect(code).toBe(exitCode.TRANSACTION_FAILED);
    expect(accountsOf(chain)).toEqual({ settled: 0, reverted: 1 });
    expect(lines.join("\n")).toMatch(/another keeper, 0x99[0-9a-fA-F]+, was faster with 0x/);
    expect(keeper.ledger.totals()).toMatchObject({ reverted: 1, unexplained: 0, lost: 1 });
  });

  test("is found where the API says that its plan is of a block that does not exist yet", async () => {
    const { lines, keeper } = await race({ planBlock: 10n ** 18n });
    expect(lines.join("\n")).toMatch(/another keeper, 0x99[0-9a-fA-F]+, was faster with 0x/);
    expect(keeper.ledger.totals()).toMatchObject({ reverted: 1, unexplained: 0, lost: 1 });
  });

  const withoutLogs = () => async () => null;
  /** A node that gives the logs of one block only. */
  const ofOneBlock =
    (node: KeeperNode): KeeperNode["rivals"] =>
    async (after, to = 0n) =>
      to - after === 1n ? node.rivals(after, to) : null;

  test("is seen in the state of the block before where no node has the logs", async () => {
    const { lines, keeper } = await race({ rivals: withoutLogs, aheadMs: 1_000 });
    expect(lines.join("\n")).toContain("another keeper was faster");
    expect(keeper.ledger.totals()).toMatchObject({ reverted: 1, unexplained: 0 });
  });

  test("is seen in the logs of its own block where the node gives no more", async () => {
    const { lines, keeper } = await race({ rivals: ofOneBlock });
    expect(lines.join("\n")).toMatch(/another keeper, 0x99[0-9a-fA-F]+, was faster with 0x/);
    expect(keeper.ledger.totals()).toMatchObject({ reverted: 1, unexplained: 0 });
  });

  test.each([
    ["all logs", (node: KeeperNode) => node.rivals, "no remit() of another keeper came before it"],
    ["the logs of one block", ofOneBlock, "no remit() of another keeper is known to have come before it"],
    ["no logs", withoutLogs, "no remit() of another keeper is known to have come before it"],
  ])("is not one that the rival settles later in the same block, with %s", async (_, rivals, reason) => {
    const { chain, lines, keeper } = await race({ misbehaviour: () => "reverts", rivals, tip: 0n });
    expect(chain.state().done).toBe(1);
    expect(lines.join("\n")).toContain(reason);
    expect(keeper.ledger.totals()).toMatchObject({ reverted: 1, unexplained: 1, lost: 0 });
  });
});

test("with a least profit, transactions that settle the next page because another keeper was faster do not end the backlog", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(60, 50, 40, 30, 20, 10), showsPool: false });
  const node = { ...chain.node };
  node.broadcast = async (raw) => {
    chain.sendRival();
    return chain.node.broadcast(raw);
  };
  const { keep, keeper, lines } = startFakeKeeper({ chain, node, rules: { minProfitWei: 0n } });
  expect(await keep()).toBe(exitCode.DONE);
  expect(accountsOf(chain)).toEqual({ settled: 3, reverted: 0 });
  expect(keeper.ledger.totals()).toMatchObject({ settled: 3, unexplained: 0 });
  expect(lines.join("\n")).not.toContain("earned less");
});

test("an API that gives each plan the same block does not hide what earlier plans have lost", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(10, 20, 30, 40), misbehaviour: () => "earns nothing" });
  const signal = untilElapsed(chain, HOUR_MS / 10);
  const rules = { minProfitWei: 0n };
  const { keep, keeper } = startFakeKeeper({ chain, planBlock: 0n, rules, options: { ...options, signal } });
  await keep();
  expect(chain.own()).toHaveLength(2);
  expect(keeper.losses.sum()).toBe(2n * COST);
});

test("an API whose plans have an old block does not pass a remit() of long ago for a faster one: a trap ends the backlog", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(10, 20, 30), misbehaviour: () => "reverts" });
  chain.sendRival();
  chain.pass(HOUR_MS);
  const signal = untilElapsed(chain, HOUR_MS + 300_000);
  const rules = { maxLossWei: 100n * COST };
  const { keep, keeper, messages } = startFakeKeeper({ chain, planBlock: 0n, rules, options: { ...options, signal } });
  await keep();
  expect(keeper.ledger.totals()).toMatchObject({ reverted: 2, unexplained: 2, lost: 0 });
  expect(messages.join("\n")).toContain("the backlog is left alone for");
});

describe("a transaction that has another result after a reorganisation", () => {
  /** Replaces the blocks from that of the keeper's first transaction on: it waits again. */
  function reorganise(chain: FakeChain) {
    const [{ blockNumber } = missing()] = chain.own();
    chain.reorganise(Number(chain.blockNumber() - blockNumber) + 1, false);
  }

  test("counts as lost where it reverts, with the keeper that was faster", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(10) });
    const { keep, keeper, lines } = startFakeKeeper({ chain });
    expect(await keep()).toBe(exitCode.DONE);
    reorganise(chain);
    chain.sendRival();
    chain.pass(1_000);
    expect(accountsOf(chain)).toEqual({ settled: 0, reverted: 1 });
    expect(await keep()).toBe(exitCode.DONE);
    expect(keeper.ledger.totals()).toMatchObject({
      settled: 0,
      reverted: 1,
      unexplained: 0,
      costWei: COST,
      lossWei: COST,
    });
    expect(keeper.losses.sum()).toBe(COST);
    expect(lines.join("\n")).toMatch(/another keeper, 0x99[0-9a-fA-F]+, was faster with 0x/);
  });

  test("counts with the page that it settles now, where another keeper has settled the first one", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(10, 25) });
    const { keep, keeper, lines } = startFakeKeeper({ chain });
    expect(await keep()).toBe(exitCode.DONE);
    reorganise(chain);
    chain.sendRival();
    chain.pass(1_000);
    expect(accountsOf(chain)).toEqual({ settled: 1, reverted: 1 });
    expect(await keep()).toBe(exitCode.DONE);
    const { fees, ...totals } = keeper.ledger.totals();
    expect(totals).toMatchObject({ settled: 1, payments: 2, reverted: 1, unexplained: 0 });
    expect(fees.get(TOKEN)).toBe(COST + 25n);
    expect(lines.filter((line) => line.includes("has another result"))).toHaveLength(2);
  });

  test("counts as lost where it succeeds and settles nothing", async () => {
    let how: Misbehaviour = "as planned";
    const chain = createFakeChain({ from, pages: pagesOf(10), misbehaviour: () => how });
    const { keep, keeper, lines } = startFakeKeeper({ chain });
    expect(await keep()).toBe(exitCode.DONE);
    how = "changes nothing";
    reorganise(chain);
    chain.pass(1_000);
    expect(chain.state().done).toBe(0);
    how = "as planned";
    expect(await keep()).toBe(exitCode.DONE);
    expect(keeper.ledger.totals()).toMatchObject({
      settled: 1,
      payments: 2,
      reverted: 1,
      unexplained: 1,
      lossWei: COST,
    });
    expect(keeper.losses.sum()).toBe(COST);
    expect(lines.join("\n")).toContain("settled nothing, although it did when it was simulated");
  });

  test("is in no message that a backlog is settled, where another keeper has settled it", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(10) });
    const { keep, messages } = startFakeKeeper({ chain });
    expect(await keep()).toBe(exitCode.DONE);
    chain.reorganise(Number(chain.blockNumber()), true);
    chain.sendRival();
    chain.pass(1_000);
    expect(await keep()).toBe(exitCode.DONE);
    expect(messages).toEqual([expect.stringContaining("settled: 2 payments (0 failed) in 1 transactions")]);
  });

  test("is not tried again where it is a permit that reverts", async () => {
    let success = true;
    const { keep, keeper, failed } = await sendLatePermit(() => success);
    await keep();
    expect(keeper.ledger.totals()).toMatchObject({ permits: 1, lossWei: 0n });
    success = false;
    await keep();
    const { permits, costWei, lossWei } = keeper.ledger.totals();
    expect({ permits, lossWei }).toEqual({ permits: 0, lossWei: costWei });
    expect(lossWei).toBeGreaterThanOrEqual(COST);
    expect([...failed]).toEqual(["renewal"]);
  });

  test("does not count as lost any more where it settles something", async () => {
    let how: Misbehaviour = "reverts";
    const chain = createFakeChain({ from, pages: pagesOf(10), misbehaviour: () => how });
    const { keep, keeper } = startFakeKeeper({ chain });
    expect(await keep()).toBe(exitCode.TRANSACTION_FAILED);
    expect(keeper.losses.sum()).toBe(COST);
    how = "as planned";
    reorganise(chain);
    chain.pass(1_000);
    expect(await keep()).toBe(exitCode.DONE);
    expect(keeper.ledger.totals()).toMatchObject({ settled: 1, payments: 2, reverted: 0, costWei: COST, lossWei: 0n });
    expect(keeper.losses.sum()).toBe(0n);
  });
});

test("a transaction that the nodes refused is not on its way: its cost does not count as lost", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(10) });
  const node = { ...chain.node };
  let refusals = 3;
  node.broadcast = async (raw) => (refusals-- > 0 ? "refused" : chain.node.broadcast(raw));
  const signal = untilElapsed(chain, HOUR_MS / 10);
  const rules = { maxLossWei: 2n * COST };
  const { keep, keeper, messages } = startFakeKeeper({ chain, node, rules, options: { ...options, signal } });
  await keep();
  expect(messages.filter((text) => text.includes("nothing is sent"))).toEqual([]);
  expect(accountsOf(chain)).toEqual({ settled: 1, reverted: 0 });
  expect(keeper.losses.sum()).toBe(0n);
});

const lateMs = 200_000;

/** A keeper with a permit that is mined after it was given up. */
async function sendLatePermit(isSuccess: () => boolean) {
  const chain = createFakeChain({ from, pages: [], isHeldBack: (_, ms) => ms < lateMs });
  const node = { ...chain.node };
  node.receipt = async (hash) => {
    const receipt = await chain.node.receipt(hash);
    return receipt && { ...receipt, success: isSuccess() };
  };
  const { keep, keeper } = startFakeKeeper({ chain, node });
  const failed = new Set<string>();
  // Only what is known about permits after they were sent is used.
  keeper.permits = { failed } as unknown as NonNullable<typeof keeper.permits>;
  const outcome = await keeper.sender.send(async () => ({
    fees: { maxFeePerGas: 21n, maxPriorityFeePerGas: 1n },
    capPerGas: 100n,
    gasLimit: 120_000n,
    permit: { to: TOKEN, data: "0x", permit: { id: "renewal", owner: from } },
  }));
  expect(outcome).toEqual({ why: "not_mined" });
  chain.pass(lateMs);
  return { keep, keeper, failed };
}

describe("a transaction that is mined after it was given up", () => {
  test("counts as lost where it reverted, even if its nonce is seen used before its receipt", async () => {
    const chain = createFakeChain({
      from,
      pages: pagesOf(10),
      misbehaviour: () => "reverts",
      isHeldBack: (nonce, ms) => nonce > 0 || ms < lateMs,
    });
    const node = { ...chain.node };
    let hidden = 1;
    node.receipt = async (hash) => {
      const receipt = await chain.node.receipt(hash);
      return receipt !== null && hidden-- > 0 ? null : receipt;
    };
    const signal = untilElapsed(chain, 2 * lateMs);
    const { keep, keeper } = startFakeKeeper({ chain, node, options: { ...options, signal } });
    await keep();
    const { lossWei, ...totals } = keeper.ledger.totals();
    expect(totals).toMatchObject({ reverted: 1, unexplained: 1 });
    expect(lossWei).toBeGreaterThanOrEqual(COST);
  });

  test("is one lost race, however much later it is mined and seen than the remit() of the rival", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(10), isHeldBack: (_, ms) => ms < 2 * lateMs });
    const node = { ...chain.node };
    node.broadcast = async (raw) => {
      if (chain.state().done === 0) chain.sendRival();
      return chain.node.broadcast(raw);
    };
    const signal = untilElapsed(chain, HOUR_MS / 2);
    const { keep, keeper, lines } = startFakeKeeper({
      chain,
      node,
      options: { ...options, intervalMs: 3 * lateMs, signal },
    });
    await keep();
    expect(keeper.ledger.totals()).toMatchObject({ reverted: 1, unexplained: 0, lost: 1 });
    expect(lines.join("\n")).toMatch(/another keeper, 0x99[0-9a-fA-F]+, was faster with 0x/);
  });

  test("counts as lost, even if the node is lost right after it is found", async () => {
    const chain = createFakeChain({
      from,
      pages: pagesOf(10),
      misbehaviour: () => "reverts",
      isHeldBack: (nonce, ms) => nonce > 0 || ms < lateMs,
    });
    const node = losing(chain.node, () => isLost);
    let isLost = false;
    node.receipt = async (hash) => {
      const receipt = await chain.node.receipt(hash);
      isLost = receipt !== null && chain.clock.elapsed() < lateMs + 60_000;
      return receipt;
    };
    // These never reject.
    node.rivals = async (after, to) => (isLost ? null : chain.node.rivals(after, to));
    node.nextUncheckedDay = async () => null;
    node.replayRemit = async () => null;
    const signal = untilElapsed(chain, 2 * lateMs);
    const { keep, keeper } = startFakeKeeper({ chain, node, options: { ...options, signal } });
    await keep();
    expect(keeper.ledger.totals()).toMatchObject({ reverted: 1, unexplained: 1 });
  });

  test.each([true, false])(
    "counts as lost where it is a permit; one that reverted is not tried again (%p)",
    async (success) => {
      const { keep, keeper, failed } = await sendLatePermit(() => success);
      await keep();
      expect(keeper.losses.sum()).toBeGreaterThanOrEqual(COST);
      expect(keeper.tokens.totals(keeper.ledger.totals())).toContain("gas 0.0000000000");
      expect([...failed]).toEqual(success ? [] : ["renewal"]);
    },
  );
});

test("a node that counts more transactions each time: what was signed with other nonces counts until all nodes have seen them used", async () => {
  const chain = createFakeChain({ from, pages: pagesOf(1, 1, 1), showsPool: false });
  const node = { ...chain.node };
  // Each transaction is too far ahead to be mined, and could be, one day.
  node.nonces = async () => {
    const mined = 10 * (1 + chain.signed.length);
    return { mined, pending: mined };
  };
  node.isUsed = async () => false;
  node.findOwn = async () => null;
  const signal = untilElapsed(chain, 4 * HOUR_MS);
  const { keep, keeper, messages } = startFakeKeeper({ chain, node, options: { ...options, signal } });
  await keep();
  const nonces = new Set(chain.signed.map((raw) => parseTransaction(raw).nonce));
  expect(nonces.size).toBe(2);
  expect(keeper.losses.sum()).toBeLessThanOrEqual(5n * COST);
  expect(messages.join("\n")).toContain("nothing is sent:");
});
