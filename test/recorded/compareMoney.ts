import { expect } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import type { TestApi } from "@dueday/api/test/startTestApi";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { CallStep, RecordedLog } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import type { Address } from "viem";

/** What tokens moved for: paid by subscribers, paid to providers, to the contract, and what the contract paid out. */
const purposes = ["paidBy", "paidTo", "toContract", "toProvider", "toSubscriber", "toKeeper", "toSystem"] as const;
type Purpose = (typeof purposes)[number];

/** Token units by `<account> <token>`, both by name. */
type Ledger = Map<string, bigint>;

function add(ledger: Ledger, key: string, units: bigint): void {
  if (units !== 0n) ledger.set(key, (ledger.get(key) ?? 0n) + units);
}

/** Sum over all accounts. */
function ofToken(ledger: Ledger, token: string): bigint {
  return [...ledger].reduce((sum, [key, units]) => (key.endsWith(` ${token}`) ? sum + units : sum), 0n);
}

/** The recorded Transfers by purpose: it reads no amount of the protocol's own logs. */
function readTransfers({ scenario }: ReplayContext): Record<Purpose, Ledger> {
  const ledgers = Object.fromEntries(purposes.map((purpose) => [purpose, new Map()])) as Record<Purpose, Ledger>;
  for (const step of scenario.steps) {
    if (!("logs" in step)) continue;
    for (const [index, log] of step.logs.entries()) {
      if (log.event !== "Transfer") continue;
      const units = BigInt(String(log.value));
      const [from, to] = [`${log.from} ${log.token}`, `${log.to} ${log.token}`];
      if (log.from === "protocol") add(ledgers[paidOutFor(step, step.logs[index - 1], log)], to, units);
      else {
        add(ledgers.paidBy, from, units);
        add(log.to === "protocol" ? ledgers.toContract : ledgers.paidTo, to, units);
      }
    }
  }
  return ledgers;
}

/** Why the contract paid: by the call, and in remit() by the log before. */
function paidOutFor({ op, by }: CallStep, before: RecordedLog | undefined, { to }: RecordedLog): Purpose {
  if (before?.subScriptEvent === "PROVREFUND") return "toProvider";
  if (op === "unsubscribeByProvider") return "toSubscriber";
  if (op === "cleanupCancelledSubscribers") return before?.event === "SubLog" ? "toSubscriber" : "toSystem";
  return to === by ? "toKeeper" : "toSystem";
}

type Sum = Record<"token" | "paidRaw" | "refundedRaw" | "netRaw", string> & { charges: number; failures: number };

/** The totals of an account over the whole scenario, which equal the sums of its periods by day, week and month. */
async function readTotals(api: TestApi, { scenario }: ReplayContext, path: string): Promise<Sum[]> {
  const times = scenario.steps.flatMap((step) => ("at" in step ? [step.at] : []));
  const [from, to] = [Math.min(...times), Math.max(...times)].map((time) => dayToDate(dayNumber(time)));
  const { status, body } = await callApi(api, `${path}?fromDate=${from}&toDate=${to}&group=week`);
  expect([path, status, body.error]).toEqual([path, 200, undefined]);
  const [totals, periods] = [body.totals as Sum[], body.periods as Sum[]]; // by the schema that the API checks its answers against
  for (const total of totals) {
    const own = periods.filter(({ token }) => token === total.token);
    const sum = (field: "paidRaw" | "refundedRaw" | "netRaw") =>
      own.reduce((all, each) => all + BigInt(each[field]), 0n);
    expect([sum("paidRaw"), sum("refundedRaw"), sum("netRaw")]).toEqual([
      BigInt(total.paidRaw),
      BigInt(total.refundedRaw),
      BigInt(total.netRaw),
    ]);
  }
  return totals;
}

/** What the views show: paid and refunded, and how many charges and failures, of all accounts as provider or subscriber. */
async function readShown(api: TestApi, context: ReplayContext, path: (account: Address) => string) {
  const shown = { paid: new Map() as Ledger, refunded: new Map() as Ledger, charges: 0, failures: 0 };
  for (const name of context.scenario.accounts) {
    for (const sum of await readTotals(api, context, path(context.names.addressOf(name)))) {
      const key = `${name} ${context.names.nameOf(sum.token as Address)}`; // checksummed, by the schema
      add(shown.paid, key, BigInt(sum.paidRaw));
      add(shown.refunded, key, BigInt(sum.refundedRaw));
      shown.charges += sum.charges;
      shown.failures += sum.failures;
    }
  }
  return shown;
}

type Remit = {
  keeper: Address;
  callerFees: { token: Address; amountRaw: string }[];
  closedDays: number[];
  payments: number;
  failures: number;
};

/** All remits, page by page, oldest first. */
async function readRemits(api: TestApi): Promise<Remit[]> {
  const remits: Remit[] = [];
  for (let after = ""; ; ) {
    const { status, body } = await callApi(api, `/remit/history?first=7${after}`);
    expect(status).toBe(200);
    remits.push(...(body.remits as Remit[])); // by the schema
    if (body.hasMore !== true) return remits.reverse();
    after = `&after=${body.nextAfter}`;
  }
}

async function compareRemits(api: TestApi, { scenario, names }: ReplayContext): Promise<Ledger> {
  const fees: Ledger = new Map();
  const remits = await readRemits(api);
  const calls = scenario.steps.flatMap((step) => (step.op === "remit" && "logs" in step ? [step] : []));
  expect(
    remits.map(({ keeper, closedDays, payments, failures }) => [names.nameOf(keeper), closedDays, payments, failures]),
  ).toEqual(
    calls.map(({ by, logs }) => [
      by,
      logs
        .filter(({ event, isFinished }) => event === "CallerLog" && isFinished === true)
        .map((log) => Number(log.checkedDay)),
      logs.filter(({ event }) => event === "Coordinates").length,
      logs.filter(({ subScriptEvent }) => subScriptEvent === "FAILED").length,
    ]),
  );
  for (const { keeper, callerFees } of remits)
    for (const { token, amountRaw } of callerFees)
      add(fees, `${names.nameOf(keeper)} ${names.nameOf(token)}`, BigInt(amountRaw));
  return fees;
}

type Entry = Record<"date" | "token" | "netRaw" | "kind", string>;

/** All entries of a list, page by page. */
async function readEntries(api: TestApi, path: string, list: "payments" | "entries"): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let after = ""; ; ) {
    const { status, body } = await callApi(api, `${path}&first=7${after}`);
    expect([path, status, body.error]).toEqual([path, 200, undefined]);
    entries.push(...(body[list] as Entry[])); // by the schema
    if (body.hasMore !== true) return entries;
    after = `&after=${body.nextAfter}`;
  }
}

function netOf(entries: readonly Pick<Entry, "token" | "netRaw">[]): Ledger {
  const ledger: Ledger = new Map();
  for (const { token, netRaw } of entries) add(ledger, token, BigInt(netRaw));
  return new Map([...ledger].filter(([, units]) => units !== 0n));
}

/** By month and token, the payments of each provider add up to its income; and both sides of each account to its statement. */
async function comparePayments(
  api: TestApi,
  { scenario, names }: ReplayContext,
): Promise<{ charges: number; failures: number }> {
  const times = scenario.steps.flatMap((step) => ("at" in step ? [step.at] : []));
  const [from, to] = [Math.min(...times), Math.max(...times)].map((time) => dayToDate(dayNumber(time)));
  const range = `fromDate=${from}&toDate=${to}`;
  const counted = { charges: 0, failures: 0 };
  for (const name of scenario.accounts) {
    const account = names.addressOf(name);
    const payments = await readEntries(api, `/providers/${account}/payments?${range}`, "payments");
    counted.failures += payments.filter(({ kind }) => kind === "failure").length;
    counted.charges += payments.filter(({ kind }) => kind === "initial" || kind === "recurring").length;
    const { body: income } = await callApi(api, `/providers/${account}/income?group=month&${range}`);
    const months = (income.periods as { start: string; token: string; netRaw: string }[]).map(
      ({ start, token, netRaw }) => ({ token: `${start.slice(0, 7)} ${token}`, netRaw }),
    );
    const own = payments.map(({ date, token, netRaw }) => ({ token: `${date.slice(0, 7)} ${token}`, netRaw }));
    expect([name, sorted(netOf(own))]).toEqual([name, sorted(netOf(months))]);
    const entries = await readEntries(api, `/accounts/${account}/statement?${range}`, "entries");
    const { body: statement } = await callApi(api, `/accounts/${account}/statement?${range}`);
    expect([name, sorted(netOf(entries))]).toEqual([name, sorted(netOf(statement.totals as Entry[]))]);
  }
  return counted;
}

const sorted = (ledger: Ledger) => [...ledger].sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Income, spending and fees equal the recorded Transfers, by account and token; and for each token, what subscribers paid is what
 * providers, keepers and the system received, what was refunded, and what the contract holds in the end.
 */
export async function compareMoney(api: TestApi, context: ReplayContext): Promise<void> {
  const { scenario } = context;
  const moved = readTransfers(context);
  const income = await readShown(api, context, (account) => `/providers/${account}/income`);
  const spending = await readShown(api, context, (account) => `/accounts/${account}/spending`);
  const fees = await compareRemits(api, context);
  expect(sorted(spending.paid)).toEqual(sorted(moved.paidBy));
  expect(sorted(spending.refunded)).toEqual(sorted(moved.toSubscriber));
  expect(sorted(income.paid)).toEqual(sorted(moved.paidTo));
  expect(sorted(income.refunded)).toEqual(sorted(moved.toProvider));
  expect(sorted(fees)).toEqual(sorted(moved.toKeeper));

  for (const token of Object.keys(scenario.tokens)) {
    const balance = BigInt(scenario.final.balances[token]?.protocol ?? "0");
    const received = ofToken(income.paid, token) + ofToken(income.refunded, token) + ofToken(fees, token);
    const rest = ofToken(moved.toSystem, token) + ofToken(spending.refunded, token) + balance;
    expect([token, ofToken(spending.paid, token)]).toEqual([token, received + rest]);
  }
  const logs = scenario.steps.flatMap((step) => ("logs" in step ? step.logs : []));
  const count = (name: string) => logs.filter((log) => log.subScriptEvent === name || log.event === name).length;
  const charged = { charges: count("SUBSCRIBED") + count("Coordinates") - count("FAILED"), failures: count("FAILED") };
  expect([income, spending]).toMatchObject([charged, charged]);
  expect(await comparePayments(api, context)).toEqual(charged);
}
