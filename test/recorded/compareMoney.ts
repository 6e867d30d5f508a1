import { expect } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import type { TestApi } from "@dueday/api/test/startTestApi";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import type { Address } from "viem";
import { type Purpose, readTransfers, type Transfer } from "./readTransfers";

/** Token units by `<account> <token>`, both by name. */
type Ledger = Map<string, bigint>;

function add(ledger: Ledger, key: string, units: bigint): void {
  if (units !== 0n) ledger.set(key, (ledger.get(key) ?? 0n) + units);
}

/** Sum over all accounts. */
function ofToken(ledger: Ledger, token: string): bigint {
  return [...ledger].reduce((sum, [key, units]) => (key.endsWith(` ${token}`) ? sum + units : sum), 0n);
}

/** What moved for some purposes, by the account that paid or received it. */
function ledgerOf(transfers: readonly Transfer[], side: "from" | "to", purposes: readonly Purpose[]): Ledger {
  const ledger: Ledger = new Map();
  for (const transfer of transfers)
    if (purposes.includes(transfer.purpose)) add(ledger, `${transfer[side]} ${transfer.token}`, transfer.units);
  return ledger;
}

type Sum = Record<"token" | "paidRaw" | "refundedRaw" | "netRaw", string> & { charges: number; failures: number };

/** The totals of an account over the whole scenario, which equal the sums of its weeks. */
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

const sorted = (ledger: Ledger) => [...ledger].sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Income, spending and fees equal the recorded Transfers, by account and token; and for each token, what subscribers paid is what
 * providers, keepers and the system received, what was refunded, and what the contract holds in the end.
 */
export async function compareMoney(api: TestApi, context: ReplayContext): Promise<void> {
  const { scenario } = context;
  const transfers = readTransfers(context);
  const moved = (side: "from" | "to", ...purposes: Purpose[]) => sorted(ledgerOf(transfers, side, purposes));
  const income = await readShown(api, context, (account) => `/providers/${account}/income`);
  const spending = await readShown(api, context, (account) => `/accounts/${account}/spending`);
  const fees = await compareRemits(api, context);
  expect(sorted(spending.paid)).toEqual(moved("from", "paidToProvider", "paidToContract"));
  expect(sorted(spending.refunded)).toEqual(moved("to", "toSubscriber"));
  expect(sorted(income.paid)).toEqual(moved("to", "paidToProvider"));
  expect(sorted(income.refunded)).toEqual(moved("to", "toProvider"));
  expect(sorted(fees)).toEqual(moved("to", "toKeeper"));

  for (const token of Object.keys(scenario.tokens)) {
    const balance = BigInt(scenario.final.balances[token]?.protocol ?? "0");
    const received = ofToken(income.paid, token) + ofToken(income.refunded, token) + ofToken(fees, token);
    const rest = ofToken(ledgerOf(transfers, "to", ["toSystem"]), token) + ofToken(spending.refunded, token) + balance;
    expect([token, ofToken(spending.paid, token)]).toEqual([token, received + rest]);
  }
  const logs = scenario.steps.flatMap((step) => ("logs" in step ? step.logs : []));
  const count = (name: string) => logs.filter((log) => log.subScriptEvent === name || log.event === name).length;
  const charged = { charges: count("SUBSCRIBED") + count("Coordinates") - count("FAILED"), failures: count("FAILED") };
  expect([income, spending]).toMatchObject([charged, charged]);
}
