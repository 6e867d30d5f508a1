import { expect } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import type { TestApi } from "@dueday/api/test/startTestApi";
import { dateToDay, dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { monthOfDay, monthToText } from "@dueday/core/calendar/months";
import type { Fact } from "@dueday/db/test/factsOfLogs";
import { cohortsOfFacts, figuresOfFacts } from "@dueday/db/test/figuresOfFacts";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { readFacts } from "./readFacts";

type Row = Record<string, unknown>;

const groups = ["day", "week", "month"] as const;
/** As many periods as one answer may have. */
const MOST_DAYS = 400;

/** The last days of a range in periods, by the calendar of the language alone. */
function periodsOf(range: { start: number; end: number }, group: (typeof groups)[number]) {
  const first = group === "day" ? Math.max(range.start, range.end - MOST_DAYS + 1) : range.start;
  const days = Array.from({ length: range.end - first + 1 }, (_, index) => first + index);
  const periodOf = (day: number) => {
    const date = new Date(day * 86_400_000);
    if (group === "month") return date.toISOString().slice(0, 7);
    return String(group === "day" ? day : day - ((date.getUTCDay() + 6) % 7));
  };
  return [...Map.groupBy(days, periodOf).values()].map((of) => ({ start: of[0] ?? 0, end: of.at(-1) ?? 0 }));
}

/**
 * The metrics and the cohorts of every provider equal what all recorded logs add up to: in all by day, week and month, and of each token and
 * each subscription by one of these. What a period begins with and its movements give what it ends with, which is what the next one begins with.
 */
export async function compareMetrics(api: TestApi, context: ReplayContext): Promise<void> {
  const { names } = context;
  const { plans, facts, days } = readFacts(context);
  const planOf = ({ id }: Fact) => plans.get(id);
  for (const provider of new Set([...plans.values()].map((plan) => plan.provider))) {
    const own = facts.filter((fact) => planOf(fact)?.provider === provider);
    const byToken = Map.groupBy(own, (fact) => planOf(fact)?.token ?? "");
    const ids = [...plans].filter(([, plan]) => plan.provider === provider).map(([id]) => id);
    const questions = [
      ...groups.map((group) => ({ group, filter: "", asked: own })),
      ...[...byToken].map(([token, asked], index) => ({
        group: groups[index % 3] ?? "day",
        filter: `&token=${names.addressOf(token)}`,
        asked,
      })),
      ...ids.map((id, index) => ({
        group: groups[index % 3] ?? "day",
        filter: `&subscription=${names.hexOf(id)}`,
        asked: own.filter((fact) => fact.id === id),
      })),
    ];
    for (const { group, filter, asked } of questions) {
      const periods = periodsOf(days, group);
      const dates = `fromDate=${dayToDate(periods[0]?.start ?? 0)}&toDate=${dayToDate(days.end)}`;
      const path = `/providers/${names.addressOf(provider)}/metrics?group=${group}&${dates}${filter}`;
      const { status, body } = await callApi(api, path);
      expect([path, status, body.error]).toEqual([path, 200, undefined]);
      const expected = [...Map.groupBy(asked, (fact) => planOf(fact)?.token ?? "")].flatMap(([token, ofToken]) =>
        periods.flatMap((period) => {
          const { isEmpty, ...figures } = figuresOfFacts(ofToken, plans, period);
          return isEmpty ? [] : [{ token: names.addressOf(token), period, ...figures }];
        }),
      );
      const found = (body.periods as Row[]).map(figuresOfRow); // by the schema
      expect([path, sorted(found)]).toEqual([path, sorted(expected)]);
      expectClosed(found);
    }
    for (const token of ["", ...byToken.keys()]) await compareCohorts(api, context, { provider, token, byToken });
  }
}

async function compareCohorts(
  api: TestApi,
  context: ReplayContext,
  { provider, token, byToken }: { provider: string; token: string; byToken: ReadonlyMap<string, Fact[]> },
): Promise<void> {
  const { names } = context;
  const { start, end } = readFacts(context).days;
  const range = `fromDate=${dayToDate(start)}&toDate=${dayToDate(end)}`;
  const filter = token === "" ? "" : `&token=${names.addressOf(token)}`;
  const { body } = await callApi(api, `/providers/${names.addressOf(provider)}/cohorts?${range}${filter}`);
  const thisMonth = monthOfDay(dayNumber(Number(Object(body.asOf).blockTimestamp)));
  const expected = [...byToken].flatMap(([of, facts]) => {
    if (token !== "" && of !== token) return [];
    return cohortsOfFacts(facts, thisMonth).map(({ cohort, month, joined, active, paid }) => ({
      token: names.addressOf(of),
      cohort: monthToText(cohort),
      month: monthToText(month),
      joined,
      active,
      paidRaw: String(paid),
    }));
  });
  const found = (body.cohorts as Row[]).map(({ token: of, cohort, month, joined, active, paidRaw }) => ({
    token: of,
    cohort,
    month,
    joined,
    active,
    paidRaw,
  }));
  expect(sorted(found)).toEqual(sorted(expected));
}

/** Start and movements give the end, of members and of revenue; and a period begins with what the one before ended with. */
function expectClosed(rows: readonly ReturnType<typeof figuresOfRow>[]): void {
  for (const [token, ofToken] of Map.groupBy(rows, (row) => row.token)) {
    for (const [index, row] of ofToken.entries()) {
      const { counts, mrr } = row;
      const members = counts.new + counts.reactivated - counts.left - counts.failed - counts.removed;
      const revenue = mrr.new + mrr.reactivated - mrr.left - mrr.failed - mrr.removed;
      expect([token, row.activeEnd, row.mrrEnd]).toEqual([token, row.activeStart + members, row.mrrStart + revenue]);
      const before = ofToken[index - 1];
      if (before !== undefined)
        expect([token, row.activeStart, row.mrrStart]).toEqual([token, before.activeEnd, before.mrrEnd]);
    }
  }
}

function figuresOfRow(row: Row) {
  const exact = (name: string) => BigInt(String(row[`mrr${name}Raw12`]));
  const count = (name: string) => Number(row[name]);
  return {
    token: row.token,
    period: { start: dateToDay(String(row.start)), end: dateToDay(String(row.end)) },
    activeStart: count("activeStart"),
    counts: {
      new: count("new"),
      reactivated: count("reactivated"),
      left: count("left"),
      failed: count("failed"),
      removed: count("removed"),
    },
    activeEnd: count("activeEnd"),
    mrrStart: exact("Start"),
    mrr: {
      new: exact("New"),
      reactivated: exact("Reactivated"),
      left: exact("Left"),
      failed: exact("Failed"),
      removed: exact("Removed"),
    },
    mrrEnd: exact("End"),
    charged: BigInt(String(row.chargedRaw)),
    net: BigInt(String(row.netRaw)),
    failures: row.failures,
  };
}

function sorted(rows: readonly object[]): object[] {
  const keyOf = (row: object) => JSON.stringify(row, (_, value) => (typeof value === "bigint" ? String(value) : value));
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
