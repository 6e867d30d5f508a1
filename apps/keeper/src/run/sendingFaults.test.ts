import { expect, test } from "bun:test";
import { createFakeChain, type FakeChain } from "@dueday/keeper/test/fakeChain";
import { COST, pagesOf, TOKEN } from "@dueday/keeper/test/fakeRemit";
import { account, accountsOf, startFakeKeeper, untilDone } from "@dueday/keeper/test/startFakeKeeper";
import { losing } from "@dueday/keeper/test/wrapNode";
import { parseTransaction } from "viem";
import { exitCode } from "../keeperError";

const from = account.address;

test("a stuck transaction is replaced with the same nonce and fees an eighth higher, up to the cap", async () => {
  // Gas doubles right after the first transaction is sent, and stays.
  const chain: FakeChain = createFakeChain({
    from,
    pages: pagesOf(1, 1),
    baseFee: () => (chain.signed.length === 0 ? 10n : 40n),
  });
  const { keep } = startFakeKeeper({ chain });
  expect(await keep()).toBe(exitCode.DONE);
  const sent = chain.signed.map((raw) => parseTransaction(raw));
  expect(sent.map(({ nonce = 0 }) => nonce)).toEqual([0, 0, 1]);
  const [first, second] = sent;
  expect(Number(second?.maxFeePerGas)).toBeGreaterThanOrEqual(Number(first?.maxFeePerGas) * 1.125);
  expect(Number(second?.maxPriorityFeePerGas)).toBeGreaterThanOrEqual(Number(first?.maxPriorityFeePerGas) * 1.125);
  expect(accountsOf(chain)).toEqual({ settled: 2, reverted: 0 });
});

test("where the cap forbids a higher fee, the transaction keeps waiting at its nonce and is mined when gas is cheap again", async () => {
  const chain: FakeChain = createFakeChain({
    from,
    pages: pagesOf(1),
    baseFee: (ms) => (chain.signed.length > 0 && ms < 120_000 ? 40n : 10n),
  });
  const { keep } = startFakeKeeper({
    chain,
    rules: { maxGasPrice: 22n },
    options: { once: false, signal: untilDone(chain) },
  });
  await keep();
  for (const raw of chain.signed) expect(parseTransaction(raw)).toMatchObject({ nonce: 0 });
  for (const raw of chain.signed) expect(Number(parseTransaction(raw).maxFeePerGas)).toBeLessThanOrEqual(22);
  expect(accountsOf(chain)).toEqual({ settled: 1, reverted: 0 });
});

test("a nonce that is stuck at the start is recognised: it gets its time, then it is replaced, and is never left behind", async () => {
  for (const showsPool of [true, false]) {
    const chain: FakeChain = createFakeChain({
      from,
      pages: pagesOf(1, 1),
      showsPool,
      baseFee: () => (chain.signed.length === 0 ? 10n : 40n),
    });
    const killed = startFakeKeeper({
      chain,
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
    if (isLost) expect(lines.join("\n")).toContain("after a reorganisation transaction");
    expect(lines.join("\n")).not.toContain("has another result");
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
