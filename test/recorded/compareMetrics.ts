import { expect } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import type { TestApi } from "@dueday/api/test/startTestApi";
import { dateToDay, dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { toFrequency } from "@dueday/core/calendar/frequency";
import { monthOfDay, monthToText } from "@dueday/core/calendar/months";
import { periodsOf } from "@dueday/core/calendar/periods";
import { subLogEvents } from "@dueday/core/events/subLogEvents";
import { factsOfLogs, type PlainLog, type PlainPlan } from "@dueday/db/test/factsOfLogs";
import { cohortsOfFacts, figuresOfFacts } from "@dueday/db/test/figuresOfFacts";
import type { RecordedLog } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";

/** The logs of the protocol in a recorded transaction, without Transfers, for the facts that follow from them. */
function plainLogs(logs: readonly RecordedLog[]): PlainLog[] {
  return logs.flatMap(({ event, id, subscriber, amount, subScriptEvent }): PlainLog[] => {
    const found = subLogEvents.find(({ contractName }) => contractName === subScriptEvent);
    if (event === "Coordinates") return [{ name: event, id: String(id), subscriber: "", amount: 0n }];
    if (event !== "SubLog" || found === undefined) return [];
    return [{ name: found.name, id: String(id), subscriber: String(subscriber), amount: BigInt(String(amount)) }];
  });
}

function readScenario({ scenario }: ReplayContext) {
  const plans = new Map<string, PlainPlan>();
  const transactions = scenario.steps.flatMap((step) => {
    if (!("logs" in step)) return [];
    if (step.op === "createSubscription" && step.as !== undefined) {
      const { by: provider, token, amount, frequency } = step;
      const decimals = scenario.tokens[token]?.decimals ?? 18;
      plans.set(step.as, { provider, token, decimals, amount: BigInt(amount), frequency: toFrequency(frequency) });
    }
    return [{ day: dayNumber(step.at), logs: plainLogs(step.logs) }];
  });
  return { plans, facts: factsOfLogs(transactions, plans) };
}

type Row = Record<string, unknown>;

/** The metrics and the cohorts of every provider equal what all recorded logs add up to, by week and by month. */
export async function compareMetrics(api: TestApi, context: ReplayContext): Promise<void> {
  const { names, scenario } = context;
  const { plans, facts } = readScenario(context);
  const times = scenario.steps.flatMap((step) => ("at" in step ? [step.at] : []));
  const range = { start: dayNumber(Math.min(...times)), end: dayNumber(Math.max(...times)) };
  const dates = `fromDate=${dayToDate(range.start)}&toDate=${dayToDate(range.end)}`;
  for (const provider of new Set([...plans.values()].map((plan) => plan.provider))) {
    const own = Map.groupBy(
      facts.filter(({ id }) => plans.get(id)?.provider === provider),
      ({ id }) => plans.get(id)?.token ?? "",
    );
    for (const group of ["week", "month"] as const) {
      const path = `/providers/${names.addressOf(provider)}/metrics?group=${group}&${dates}`;
      const { status, body } = await callApi(api, path);
      expect([path, status, body.error]).toEqual([path, 200, undefined]);
      const expected = [...own].flatMap(([token, ofToken]) =>
        (periodsOf(range, group, 10_000) ?? []).flatMap((period) => {
          const { isEmpty, ...figures } = figuresOfFacts(ofToken, plans, period);
          return isEmpty ? [] : [{ token: names.addressOf(token), period, ...figures }];
        }),
      );
      expect(sorted((body.periods as Row[]).map(figuresOfRow))).toEqual(sorted(expected)); // by the schema
    }
    const { body } = await callApi(api, `/providers/${names.addressOf(provider)}/cohorts?${dates}`);
    const thisMonth = monthOfDay(dayNumber(Number(Object(body.asOf).blockTimestamp)));
    const expected = [...own].flatMap(([token, ofToken]) =>
      cohortsOfFacts(ofToken, thisMonth).map(({ cohort, month, joined, active, paid }) => ({
        token: names.addressOf(token),
        cohort: monthToText(cohort),
        month: monthToText(month),
        joined,
        active,
        paidRaw: String(paid),
      })),
    );
    const found = (body.cohorts as Row[]).map(({ token, cohort, month, joined, active, paidRaw }) => ({
      token,
      cohort,
      month,
      joined,
      active,
      paidRaw,
    }));
    expect(sorted(found)).toEqual(sorted(expected));
  }
}

function figuresOfRow(row: Row) {
  const exact = (name: string) => BigInt(String(row[`mrr${name}Raw12`]));
  return {
    token: row.token,
    period: { start: dateToDay(String(row.start)), end: dateToDay(String(row.end)) },
    activeStart: row.activeStart,
    counts: {
      new: row.new,
      reactivated: row.reactivated,
      left: row.left,
      failed: row.failed,
      removed: row.removed,
    },
    activeEnd: row.activeEnd,
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
