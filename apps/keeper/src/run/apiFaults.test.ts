import { describe, expect, test } from "bun:test";
import { createFakeChain } from "@dueday/keeper/test/fakeChain";
import { CONTRACT, pagesOf } from "@dueday/keeper/test/fakeRemit";
import {
  account,
  accountsOf,
  startFakeKeeper,
  truePlan,
  untilDone,
  untilElapsed,
} from "@dueday/keeper/test/startFakeKeeper";
import { getAddress, parseTransaction } from "viem";
import { exitCode, KeeperError } from "../keeperError";

const from = account.address;

describe("an API that is lost", () => {
  /** Elapsed seconds between the polls of a keeper, by the number of failures of its API in a row. */
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
    const keeper = startFakeKeeper({ chain, plan, options: { ...options, signal } });
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

  test("that asks for a wait of hours is reported at once, and ends a keeper with --once", async () => {
    for (const once of [true, false]) {
      const chain = createFakeChain({ from, pages: pagesOf(1) });
      const plan = () => {
        throw new KeeperError(exitCode.UNREACHABLE, "the limit of the day is used up", 20_000_000);
      };
      const signal = untilElapsed(chain, 10_000_000);
      const { keep, messages } = startFakeKeeper({ chain, plan, options: { once, signal } });
      expect(await keep()).toBe(once ? exitCode.UNREACHABLE : exitCode.DONE);
      expect(messages).toEqual(["the limit of the day is used up"]);
      expect(chain.clock.elapsed() > 0).toBe(!once);
    }
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
      "promises fees that are never paid",
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
    const { keep, messages } = startFakeKeeper({ chain, plan });
    expect(await keep()).toBe(exitCode.REFUSED);
    expect(chain.signed).toEqual([]);
    expect(messages.join("\n")).toContain("nothing was signed");
  });

  test("is reported although its plans have an old block, after which another keeper has settled something", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(1, 1) });
    chain.sendRival();
    chain.pass(3_600_000);
    const plan = () => {
      const { plan: planned, ...rest } = truePlan(chain);
      return {
        ...rest,
        plan: { ...planned, transactions: planned.transactions.map((each) => ({ ...each, payments: 9 })) },
      };
    };
    const { keep } = startFakeKeeper({ chain, plan, planBlock: 0n });
    expect(await keep()).toBe(exitCode.REFUSED);
    expect(chain.signed).toEqual([]);
  });

  test("about gas costs nothing: costs are those that the keeper's own node simulates", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(-500) });
    const plan = () => {
      const cheap = truePlan(chain);
      for (const transaction of cheap.plan.transactions) transaction.gasUsed = "1";
      return cheap;
    };
    const { keep } = startFakeKeeper({ chain, plan, rules: { minProfitWei: 0n } });
    expect(await keep()).toBe(exitCode.UNPROFITABLE);
    expect(chain.signed).toEqual([]);
  });

  test("that names another contract is not followed: what is signed goes to the contract of the settings", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(1, 1) });
    const plan = () => ({ ...truePlan(chain), contract: account.address, to: account.address });
    expect(await startFakeKeeper({ chain, plan }).keep()).toBe(exitCode.DONE);
    expect(chain.signed).toHaveLength(2);
    for (const raw of chain.signed) expect(getAddress(parseTransaction(raw).to ?? "0x")).toBe(CONTRACT);
  });

  test("about what is caught up ends a round, and about what is due costs nothing", async () => {
    const chain = createFakeChain({ from, pages: pagesOf(1) });
    const { keep } = startFakeKeeper({ chain });
    expect(await keep()).toBe(exitCode.DONE);
    const due = createFakeChain({ from, pages: pagesOf(1) });
    const stale = truePlan(due);
    due.sendRival();
    due.pass(4_000);
    const late = startFakeKeeper({ chain: due, plan: () => stale });
    expect(await late.keep()).not.toBe(exitCode.DONE);
    expect(due.signed).toEqual([]);
  });
});
