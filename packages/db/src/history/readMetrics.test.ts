import { expect, test } from "bun:test";
import { roundTwelfths } from "@dueday/core/amounts/monthlyRevenue";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import type { Frequency } from "@dueday/core/calendar/frequency";
import { monthOfDay } from "@dueday/core/calendar/months";
import { type PeriodLength, periodsOf } from "@dueday/core/calendar/periods";
import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { arbitraryMemberships, type MembershipHistory } from "@dueday/db/test/arbitraryMemberships";
import { type Fact, factsOfLogs, type PlainLog } from "@dueday/db/test/factsOfLogs";
import { cohortsOfFacts, figuresOfFacts } from "@dueday/db/test/figuresOfFacts";
import { hex, newScope, rewindTo } from "@dueday/db/test/smallIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import fc from "fast-check";
import type { Hex } from "viem";
import type { IndexedBlock, IndexedLog } from "../eventIndex/indexedLog";
import { rebuildDerived } from "../indexing/rebuildDerived";
import { storeLogs } from "../indexing/storeLogs";
import type { ContractScope } from "../schema/columns";
import { readCohorts } from "./readCohorts";
import { readMetrics } from "./readMetrics";

const HISTORIES = testDepth === 1 ? 15 : 30 * testDepth;
/** 2026-01-20, so that most histories pass the end of some months. */
const FIRST_DAY = 20_473;
const { database } = await createTestDatabase();

/** Names as bytes: ids of 32, accounts and tokens of 20. */
const names = new Map<string, number>();
function bytesOf(name: string, bytes: number): Hex {
  if (name === "zero") return hex(0, bytes);
  if (!names.has(name)) names.set(name, names.size + 1);
  return hex(names.get(name) ?? 0, bytes);
}

type Chain = MembershipHistory["blocks"];

function blockOf(chain: Chain, number: number, fork: number): IndexedBlock {
  const day = chain[number - 1]?.at(-1)?.day ?? FIRST_DAY;
  return { number, hash: hex(number * 1_000 + fork, 32), timestamp: day * DAY_SECONDS + (number % 1_000) };
}

function eventOf(log: PlainLog, day: number, { plans }: MembershipHistory): ProtocolEvent {
  const plan = plans.get(log.id);
  if (plan === undefined) throw new Error("its plan is created first");
  const id = bytesOf(log.id, 32);
  if (log.name === "Coordinates") {
    const { frequency } = plan;
    return {
      event: "Coordinates",
      id,
      subscriberIndex: 0n,
      subscriptionIndex: 0n,
      frequency: BigInt(frequency),
      nextUncheckedDay: day,
    };
  }
  return {
    event: "SubLog",
    id,
    provider: bytesOf(plan.provider, 20),
    subscriber: bytesOf(log.subscriber, 20),
    timestamp: day * DAY_SECONDS,
    amount: log.amount,
    token: bytesOf(plan.token, 20),
    code: subLogCode[log.name],
  };
}

/** Stores blocks `from` to `to` of a chain, whose hashes are those of a fork. */
async function store(
  scope: ContractScope,
  history: MembershipHistory,
  { from, to, after, fork }: { from: number; to: number; after: IndexedBlock | null; fork: number },
): Promise<IndexedBlock> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const blocks = numbers.map((number) => blockOf(history.blocks, number, fork));
  const logs = blocks.flatMap((block) => {
    let logIndex = 0;
    return (history.blocks[block.number - 1] ?? []).flatMap(({ day, logs: own }, transaction) =>
      own.map((log): IndexedLog => {
        logIndex += 1;
        return {
          blockNumber: block.number,
          logIndex,
          blockHash: block.hash,
          transactionHash: hex(block.number * 100 + transaction, 32),
          event: eventOf(log, day, history),
          data: "0x",
        };
      }),
    );
  });
  const checkpoint = blocks.at(-1);
  if (checkpoint === undefined) throw new Error("there is a block to store");
  const created = from === 1 ? [...history.plans] : [];
  const stored = await storeLogs(database, scope, {
    after,
    checkpoint,
    blocks,
    logs,
    terms: created.map(([id, { frequency }]) => ({ id: bytesOf(id, 32), createdBlock: 1, frequency, dueDay: 1 })),
    tokens: created.map(([, { token, decimals }]) => ({ token: bytesOf(token, 20), symbol: token, decimals })),
    headNumber: checkpoint.number,
    blocksPerSecond: null,
    confirmedAt: new Date(0),
  });
  expect(stored).toBe(true);
  return checkpoint;
}

/** A fork of the chain, which lacks every second transaction. */
function withoutSome({ plans, blocks }: MembershipHistory): MembershipHistory {
  return { plans, blocks: blocks.map((block) => block.filter((_, index) => (index + block.length) % 2 === 0)) };
}

/** Every answer about a provider equals what its facts add up to, whatever is asked for. */
async function compare(
  scope: ContractScope,
  { plans, blocks }: MembershipHistory,
  group: PeriodLength,
): Promise<number> {
  const facts = factsOfLogs(blocks.flat(), plans);
  const lastDay = blocks.at(-1)?.at(-1)?.day ?? FIRST_DAY;
  const periods = periodsOf({ start: FIRST_DAY - 1 + (facts.length % 20), end: lastDay }, group, 10_000) ?? [];
  let compared = 0;
  for (const provider of ["provider 1", "provider 2"]) {
    const own = [...plans].filter(([, plan]) => plan.provider === provider).map(([id]) => id);
    const tokens = [...new Set(own.map((id) => plans.get(id)?.token ?? ""))];
    const questions = [{}, { token: tokens[0] }, { subscription: own[0] }, { token: "none" }];
    for (const { token, subscription } of questions as { token?: string; subscription?: string }[]) {
      const query = {
        provider: bytesOf(provider, 20),
        token: token === undefined ? undefined : bytesOf(token, 20),
        subscription: subscription === undefined ? undefined : bytesOf(subscription, 32),
      };
      const asked = facts.filter(
        ({ id }) =>
          own.includes(id) && (subscription ?? id) === id && (token ?? plans.get(id)?.token) === plans.get(id)?.token,
      );
      compared += await compareMetrics(scope, { query, periods, asked, plans });
      if (subscription === undefined)
        compared += await compareCohorts(scope, { query, asked, plans, thisMonth: monthOfDay(lastDay) });
    }
  }
  return compared;
}

type Question = {
  query: { provider: Hex; token: Hex | undefined; subscription: Hex | undefined };
  asked: readonly Fact[];
  plans: MembershipHistory["plans"];
};

function byToken(asked: readonly Fact[], plans: MembershipHistory["plans"]) {
  return [...Map.groupBy(asked, ({ id }) => plans.get(id)?.token ?? "")].map(
    ([token, facts]) => [bytesOf(token, 20), facts] as const,
  );
}

async function compareMetrics(
  scope: ContractScope,
  { query, periods, asked, plans }: Question & { periods: { start: number; end: number }[] },
): Promise<number> {
  const answer = await readMetrics(database, scope, { ...query, periods: () => periods });
  if (typeof answer === "string" || (answer.value === null && periods.length > 0)) throw new Error("it is indexed");
  const expected = byToken(asked, plans).flatMap(([token, facts]) =>
    periods.flatMap((period) => {
      const { isEmpty, ...figures } = figuresOfFacts(facts, plans, period);
      return isEmpty ? [] : [{ period, token, ...figures }];
    }),
  );
  const found = (answer.value?.metrics ?? []).map(({ tokenSymbol: _, tokenDecimals: __, recovered, ...row }) => {
    expect(recovered).toBeNull();
    const { joined, ...counts } = row.counts;
    const { joined: mrrJoined, ...mrr } = row.mrr;
    expect(row.activeEnd).toBe(
      row.activeStart + joined + counts.reactivated - counts.left - counts.failed - counts.removed,
    );
    expect(row.mrrEnd).toBe(row.mrrStart + mrrJoined + mrr.reactivated - mrr.left - mrr.failed - mrr.removed);
    return { ...row, counts: { new: joined, ...counts }, mrr: { new: mrrJoined, ...mrr } };
  });
  const inOrder = (rows: { period: { start: number }; token: Hex }[]) =>
    rows.toSorted((a, b) => a.period.start - b.period.start || (a.token < b.token ? -1 : 1));
  expect(inOrder(found)).toEqual(inOrder(expected));
  return found.length;
}

async function compareCohorts(
  scope: ContractScope,
  { query, asked, plans, thisMonth }: Question & { thisMonth: number },
): Promise<number> {
  const months = { from: monthOfDay(FIRST_DAY), to: thisMonth };
  const answer = await readCohorts(database, scope, { ...query, months: () => months });
  if (typeof answer === "string" || answer.value === null) throw new Error("it is indexed");
  const expected = byToken(asked, plans).flatMap(([token, facts]) =>
    cohortsOfFacts(facts, thisMonth).map((row) => ({ token, ...row })),
  );
  const found = answer.value.cohorts.map(({ tokenSymbol: _, tokenDecimals: __, ...row }) => row);
  const inOrder = (rows: typeof found) =>
    rows.toSorted(
      (a, b) => a.cohort - b.cohort || (a.token < b.token ? -1 : a.token > b.token ? 1 : a.month - b.month),
    );
  expect(inOrder(found)).toEqual(inOrder(expected));
  return found.length;
}

test(
  "metrics and cohorts equal what every log adds up to, however the chain was stored, reorganised and rebuilt; start and movements give the end",
  async () => {
    let compared = 0;
    const property = fc.asyncProperty(
      arbitraryMemberships(FIRST_DAY),
      fc.array(
        fc.record({ batch: fc.integer({ min: 1, max: 12 }), replaced: fc.nat({ max: 8 }), back: fc.nat({ max: 8 }) }),
        {
          minLength: 1,
          maxLength: 8,
        },
      ),
      fc.constantFrom<PeriodLength>("day", "week", "month"),
      async (history, turns, group) => {
        const scope = newScope();
        const last = history.blocks.length;
        let at: IndexedBlock | null = null;
        for (const [turn, { batch, replaced, back }] of turns.entries()) {
          const from = (at?.number ?? 0) + 1;
          if (from > last) break;
          at = await store(scope, history, { from, to: Math.min(last, from + batch - 1), after: at, fork: 0 });
          const to = Math.min(last, at.number + replaced);
          if (to > at.number)
            await store(scope, withoutSome(history), { from: at.number + 1, to, after: at, fork: turn + 1 });
          const ancestor = blockOf(history.blocks, Math.max(1, at.number - back), 0);
          if (await rewindTo(database, scope, ancestor)) at = ancestor;
        }
        if (at === null || at.number < last)
          await store(scope, history, { from: (at?.number ?? 0) + 1, to: last, after: at, fork: 0 });
        compared += await compare(scope, history, group);
        await rebuildDerived(database, scope);
        compared += await compare(scope, history, group);
      },
    );
    await fc.assert(property, { numRuns: HISTORIES, seed: testSeed, endOnFailure: true });
    console.log(`${HISTORIES} histories of seed ${testSeed}, ${compared} rows compared`);
    expect(compared).toBeGreaterThan(HISTORIES);
  },
  60_000 + HISTORIES * 2_000,
);

test.each([
  ["10 USDC each week", 10_000_000n, 6, 0, 520_000_000n, 43_333_333n],
  ["10 USDC each month", 10_000_000n, 6, 1, 120_000_000n, 10_000_000n],
  ["10 USDC each quarter", 10_000_000n, 6, 2, 40_000_000n, 3_333_333n],
  ["10 USDC each year", 10_000_000n, 6, 3, 10_000_000n, 833_333n],
  ["one unit each week", 1n, 6, 0, 52n, 4n],
  ["one unit each year, a twelfth of a unit", 1n, 6, 3, 1n, 0n],
  ["6 units each year, half a unit: to even", 6n, 6, 3, 6n, 0n],
  ["18 units each year, one and a half: to even", 18n, 6, 3, 18n, 2n],
  ["31 units each year, above two and a half", 31n, 6, 3, 31n, 3n],
  [
    "a token of 24 decimals, 1.000001 each quarter",
    1_000_001n * 10n ** 18n,
    24,
    2,
    4_000_004n * 10n ** 18n,
    333_333_666_666_666_666_666_667n,
  ],
] as const)("monthly recurring revenue, by hand: %s", async (_, units, decimals, frequency, twelfths, shown) => {
  const scope = newScope();
  const amount = decimals <= 18 ? units * 10n ** BigInt(18 - decimals) : units / 10n ** BigInt(decimals - 18);
  const plan = { provider: "provider 1", token: `T${decimals}`, decimals, amount, frequency };
  const logs = (["Create", "Subscribed", "FeeFill"] as const).map((name) => ({
    name,
    id: "plan 0",
    subscriber: "ann",
    amount,
  }));
  const history = { plans: new Map([["plan 0", plan]]), blocks: [[{ day: FIRST_DAY, logs }]] };
  await store(scope, history, { from: 1, to: 1, after: null, fork: 0 });
  const answer = await readMetrics(database, scope, {
    provider: bytesOf("provider 1", 20),
    periods: (today) => [{ start: today, end: today }],
  });
  if (typeof answer === "string") throw new Error(answer);
  const [figures] = answer.value?.metrics ?? [];
  expect(figures).toMatchObject({ mrrStart: 0n, mrr: { joined: twelfths }, mrrEnd: twelfths });
  expect(roundTwelfths(figures?.mrrEnd ?? 0n)).toBe(shown);
});

type Move = "join" | "leave" | "remove" | "fail" | "cancel";
const none = { joined: 0n, reactivated: 0n, left: 0n, failed: 0n, removed: 0n };

/** One move a day, of 10 USDC each quarter: 40,000,000 twelfths; of 6 units a year: 6; of 5 and 18 decimals each week: 260 x 10^18. */
test.each<[string, [decimals: number, frequency: Frequency, units: bigint], [Move, string][], object, bigint, bigint]>([
  [
    "who leaves and comes back",
    [18, 0, 5n * 10n ** 18n],
    [
      ["join", "ann"],
      ["leave", "ann"],
      ["join", "ann"],
    ],
    { joined: 260n * 10n ** 18n, left: 260n * 10n ** 18n, reactivated: 260n * 10n ** 18n },
    260n * 10n ** 18n,
    21_666_666_666_666_666_667n,
  ],
  [
    "who fails to pay, and comes back",
    [6, 2, 10_000_000n],
    [
      ["join", "ann"],
      ["fail", "ann"],
      ["join", "ann"],
    ],
    { joined: 40_000_000n, failed: 40_000_000n, reactivated: 40_000_000n },
    40_000_000n,
    3_333_333n,
  ],
  [
    "one of two that the seller removes",
    [6, 3, 6n],
    [
      ["join", "ann"],
      ["join", "ben"],
      ["remove", "ann"],
    ],
    { joined: 12n, removed: 6n },
    6n,
    0n,
  ],
  [
    "two of three, by cancelling: one has left before",
    [6, 2, 10_000_000n],
    [
      ["join", "ann"],
      ["join", "ben"],
      ["join", "cem"],
      ["leave", "ben"],
      ["cancel", "zero"],
    ],
    { joined: 120_000_000n, left: 40_000_000n, removed: 80_000_000n },
    0n,
    0n,
  ],
  [
    "three members of half a unit: one and a half, to even",
    [6, 3, 6n],
    [
      ["join", "ann"],
      ["join", "ben"],
      ["join", "cem"],
    ],
    { joined: 18n },
    18n,
    2n,
  ],
])("movements of recurring revenue, by hand: %s", async (_, [decimals, frequency, units], moves, mrr, end, shown) => {
  const scope = newScope();
  const amount = units * 10n ** BigInt(18 - decimals);
  const plan = { provider: "provider 1", token: `T${decimals}`, decimals, amount, frequency };
  const logsOf: Record<Move, PlainLog["name"][]> = {
    join: ["Subscribed", "FeeFill"],
    leave: ["Unsubscribed", "ProviderRefund"],
    remove: ["Unsubscribed"],
    fail: ["Unsubscribed", "Failed", "Coordinates"],
    cancel: ["Cancel"],
  };
  const log = (name: PlainLog["name"], subscriber: string): PlainLog => ({ name, id: "plan 0", subscriber, amount });
  const days = moves.map(([move, who], index) => [
    { day: FIRST_DAY + index, logs: logsOf[move].map((name) => log(name, who)) },
  ]);
  const blocks = [[{ day: FIRST_DAY, logs: [log("Create", "zero")] }], ...days];
  const history = { plans: new Map([["plan 0", plan]]), blocks };
  await store(scope, history, { from: 1, to: blocks.length, after: null, fork: 0 });
  const answer = await readMetrics(database, scope, {
    provider: bytesOf("provider 1", 20),
    periods: (today) => [{ start: FIRST_DAY, end: today }],
  });
  if (typeof answer === "string") throw new Error(answer);
  const [figures] = answer.value?.metrics ?? [];
  expect(figures).toMatchObject({ mrrStart: 0n, mrr: { ...none, ...mrr }, mrrEnd: end });
  expect(roundTwelfths(figures?.mrrEnd ?? 0n)).toBe(shown);
});
