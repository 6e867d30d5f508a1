import { expect } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import type { TestApi } from "@dueday/api/test/startTestApi";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import type { Hex } from "viem";
import { readFacts, type ScenarioFacts } from "./readFacts";
import { readTransfers } from "./readTransfers";

type Entry = Record<"id" | "subscriber" | "token", Hex> &
  Record<"date" | "kind" | "grossRaw" | "failedRaw" | "netRaw", string>;

/** Token units by month and token, without those of 0. */
function byMonth(entries: readonly { date: string; token: string; netRaw: string }[]): [string, bigint][] {
  const sums = new Map<string, bigint>();
  for (const { date, token, netRaw } of entries) {
    const key = `${date.slice(0, 7)} ${token}`;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(netRaw));
  }
  return [...sums].filter(([, units]) => units !== 0n).sort();
}

/** All entries of a list, page by page: small pages show that none is lost between them, and each costs a request. */
async function readEntries(api: TestApi, path: string, list: "payments" | "entries", first = 200) {
  const entries: Entry[] = [];
  for (let after = ""; ; ) {
    const { status, body } = await callApi(api, `${path}&first=${first}${after}`);
    expect([path, status, body.error]).toEqual([path, 200, undefined]);
    entries.push(...(body[list] as Entry[])); // by the schema
    if (body.hasMore !== true) return { entries, totals: body.totals as Entry[] }; // a statement has them
    after = `&after=${body.nextAfter}`;
  }
}

/** What the logs of a provider's plans mean, one row for each charge, failure and refund to the provider, in the form of `rowsOf`. */
function expectedRows({ plans, facts }: ScenarioFacts, provider: string): string[] {
  return facts.flatMap(({ id, subscriber, day, isCharge, isFailure, charged, net }) => {
    const plan = plans.get(id);
    if (plan?.provider !== provider || (!isCharge && !isFailure && net === 0n)) return [];
    const what = isFailure ? "failure" : isCharge ? "charge" : "refund";
    const failed = isFailure ? toTokenUnits(plan.amount, plan.decimals) : 0n;
    return [[dayToDate(day), id, subscriber, plan.token, what, charged, failed, net].join(" ")];
  });
}

function rowsOf(payments: readonly Entry[], { names }: ReplayContext): string[] {
  const kinds = new Map([
    ["failure", "failure"],
    ["initial", "charge"],
    ["recurring", "charge"],
    ["refund_to_provider", "refund"],
  ]);
  return payments.flatMap(({ date, id, subscriber, token, kind, grossRaw, failedRaw, netRaw }) => {
    const what = kinds.get(kind);
    if (what === undefined) return [];
    const [plan, member, unit] = [id, subscriber, token].map((hex) => names.nameOf(hex));
    return [[date, plan, member, unit, what, grossRaw, failedRaw, netRaw].join(" ")];
  });
}

/**
 * The payments of each provider are what the logs mean, one by one, also those of a token, a plan and
 * some days; by month and token they add up to its income and to the Transfers
 * that it received; and both sides of each account are its statement, and the Transfers it paid and received.
 */
export async function comparePayments(api: TestApi, context: ReplayContext): Promise<void> {
  const { scenario, names } = context;
  const all = readFacts(context);
  const transfers = readTransfers(context).map(({ day, units, token, ...transfer }) => ({
    ...transfer,
    date: String(dayToDate(day)),
    token: names.addressOf(token),
    netRaw: String(units),
  }));
  const range = `fromDate=${dayToDate(all.days.start)}&toDate=${dayToDate(all.days.end)}`;
  for (const name of scenario.accounts) {
    const account = names.addressOf(name);
    const { entries: payments } = await readEntries(api, `/providers/${account}/payments?${range}`, "payments", 15);
    expect([name, ...rowsOf(payments, context).sort()]).toEqual([name, ...expectedRows(all, name).sort()]);
    const joins = all.facts.filter(
      ({ id, kind }) => all.plans.get(id)?.provider === name && (kind === "new" || kind === "reactivated"),
    );
    expect([name, payments.filter(({ kind }) => kind === "initial").length]).toEqual([name, joins.length]);

    const middle = String(dayToDate(Math.floor((all.days.start + all.days.end) / 2)));
    const own = [...all.plans].filter(([, { provider }]) => provider === name);
    const filters: [string, (payment: Entry) => boolean][] = [
      ["", () => true],
      ...own.map(([id]): [string, (payment: Entry) => boolean] => [
        `&subscription=${names.hexOf(id)}`,
        (payment) => names.nameOf(payment.id) === id,
      ]),
      ...[...new Set(own.map(([, { token }]) => token))].map((token): [string, (payment: Entry) => boolean] => [
        `&token=${names.addressOf(token)}`,
        (payment) => names.nameOf(payment.token) === token,
      ]),
    ];
    for (const [filter, isMeant] of filters) {
      const later = `fromDate=${middle}&toDate=${dayToDate(all.days.end)}${filter}`;
      const { entries: found } = await readEntries(api, `/providers/${account}/payments?${later}`, "payments");
      const meant = payments.filter((payment) => payment.date >= middle && isMeant(payment));
      expect([name, filter, found]).toEqual([name, filter, meant]);
    }

    const { body: income } = await callApi(api, `/providers/${account}/income?group=month&${range}`);
    const months = (income.periods as (Entry & { start: string })[]).map((period) => ({
      ...period,
      date: period.start,
    }));
    const sold = transfers.filter(
      ({ to, purpose }) => to === name && (purpose === "paidToProvider" || purpose === "toProvider"),
    );
    expect([name, byMonth(payments)]).toEqual([name, byMonth(months)]);
    expect([name, byMonth(payments)]).toEqual([name, byMonth(sold)]);

    const { entries, totals } = await readEntries(api, `/accounts/${account}/statement?${range}`, "entries", 15);
    const inAll = (of: readonly Entry[]) => byMonth(of.map((entry) => ({ ...entry, date: "in all" })));
    expect([name, inAll(entries)]).toEqual([name, inAll(totals)]);
    const paid = transfers.flatMap(({ from, to, purpose, ...moved }) => {
      if (from === name && purpose !== "toKeeper") return [{ ...moved, netRaw: `-${moved.netRaw}` }];
      return to === name && purpose === "toSubscriber" ? [moved] : [];
    });
    expect([name, byMonth(entries)]).toEqual([name, byMonth([...sold, ...paid])]);
  }
}
