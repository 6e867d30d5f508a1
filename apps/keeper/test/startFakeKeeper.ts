import { reasonRevert } from "@dueday/core/reverts/reasonRevert";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Rules } from "@dueday/keeper/decide/decide";
import type { KeeperNode } from "@dueday/keeper/node/keeperNode";
import type { PlanSource } from "@dueday/keeper/plan/planSource";
import type { ChainStatus } from "@dueday/keeper/report/chainReport";
import { createKeeperChain } from "@dueday/keeper/run/createKeeperChain";
import { type KeepOptions, keepChain } from "@dueday/keeper/run/keepChain";
import { privateKeyToAccount } from "viem/accounts";
import { CHAIN_ID, type FakeChain } from "./fakeChain";
import { CONTRACT, TOKEN } from "./fakeRemit";
import { testPlan } from "./testPlan";

export const account = privateKeyToAccount(`0x${"11".repeat(32)}`);

/** The true plan of the chain. */
export function truePlan(chain: FakeChain): RemitReadiness {
  const transactions = chain.simulate(50).map(({ closesDays, payments, failures, callerFees, gas }, index) => ({
    index,
    closesDays,
    payments,
    failures,
    gasUsed: gas.toString(),
    callerFees: callerFees.map(({ token, units }) => ({
      token,
      symbol: "TKN",
      amount: units.toString(),
      amountRaw: units.toString(),
      tokenDecimals: 0,
    })),
  }));
  const isDue = transactions.length > 0;
  return testPlan({
    ready: isDue,
    caughtUp: !isDue,
    reason: isDue ? "due" : "caught_up",
    from: account.address,
    nextUncheckedDay: chain.nextUncheckedDay(),
    expectedTransactions: transactions.length,
    plan: { source: "simulated", complete: true, end: "caught_up", transactions },
  });
}

export type FakeKeeperOptions = {
  chain: FakeChain;
  node?: KeeperNode;
  /** What the API answers; default: the true plan. */
  plan?: () => RemitReadiness;
  /** The block that the API names; default: the latest. */
  planBlock?: bigint;
  rules?: Partial<Rules>;
  options?: Partial<KeepOptions>;
  /** The machine's clock; default: that of the chain. */
  wall?: () => number;
  /** 0 to 1, for pauses. */
  random?: () => number;
};

/** A keeper on a fake chain, with everything that it reported. */
export function startFakeKeeper({
  chain,
  node = chain.node,
  plan,
  planBlock,
  rules,
  options,
  wall,
  random,
}: FakeKeeperOptions) {
  const lines: string[] = [];
  const messages: string[] = [];
  const raised = new Set<string>();
  const status: Partial<ChainStatus> = {};
  const answer = async () => ({
    readiness: (plan ?? (() => truePlan(chain)))(),
    blockNumber: planBlock ?? chain.blockNumber(),
    stale: false,
  });
  const source: PlanSource = { poll: answer, read: answer };
  const keeper = createKeeperChain(
    {
      chainId: CHAIN_ID,
      contract: CONTRACT,
      from: account.address,
      node,
      source,
      permits: null,
      rules: { minProfitWei: null, maxGasPrice: 1_000n, maxLossWei: null, gasCap: 2n ** 24n, ...rules },
      priceSources: new Map([[TOKEN, { kind: "fixed", wei: 1n }]]),
    },
    {
      account,
      settings: { replaceAfterMs: 30_000, notify: { gasDays: 7 } },
      clock: { ...chain.clock, wall: wall ?? chain.clock.wall, random: random ?? (() => 0.5) },
      report: {
        log: (_, message) => void lines.push(message),
        raise(incident, text) {
          if (!raised.has(incident)) messages.push(text);
          raised.add(incident);
        },
        resolve: (incident, text) => void (raised.delete(incident) && messages.push(text)),
        announce: (text) => void messages.push(text),
        status: (change) => void Object.assign(status, change),
      },
    },
  );
  const keep = () =>
    keepChain(keeper, {
      once: true,
      intervalMs: 300_000,
      windowMs: 5_000,
      signal: new AbortController().signal,
      ...options,
    });
  return { keeper, keep, lines, messages, raised, status };
}

export const blockedPlan = () =>
  testPlan({
    ready: false,
    reason: "blocked",
    blockedBy: { reason: "revert", revert: reasonRevert("20") },
    plan: { source: "simulated", complete: true, end: "blocked", transactions: [] },
  });

/** How many of the keeper's own transactions succeeded, and how many reverted. */
export function accountsOf(chain: FakeChain) {
  const own = chain.own();
  return {
    settled: own.filter(({ success }) => success).length,
    reverted: own.filter(({ success }) => !success).length,
  };
}

/** Aborts when everything is settled, so that a keeper without `once` ends. */
export function untilDone(chain: FakeChain): AbortSignal {
  return until(chain, () => chain.state().done === chain.pages.length);
}

/** Aborts after a time of the chain's clock. */
export function untilElapsed(chain: FakeChain, milliseconds: number): AbortSignal {
  return until(chain, () => chain.clock.elapsed() >= milliseconds);
}

function until(chain: FakeChain, isOver: () => boolean): AbortSignal {
  const stop = new AbortController();
  const { sleep } = chain.clock;
  chain.clock.sleep = async (milliseconds) => {
    await sleep(milliseconds);
    if (isOver()) stop.abort();
  };
  return stop.signal;
}
