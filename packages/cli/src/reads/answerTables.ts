import type { DuedayEvent, Operations } from "@dueday/sdk";
import { type Cell, factsTable, type Table } from "../table";

type Answer<N extends keyof Operations> = Operations[N]["output"];
type Amount = { amount: string; symbol?: string | null };

export function dueTables({ date, results }: Answer<"getSubscriptionsDue">): Table[] {
  const rows = results.flatMap(({ frequencyLabel, subscriptions, skipped, hasMore }): Cell[][] => [
    ...subscriptions.map(({ id, amount, tokenSymbol, subscribers, state, payments }) => [
      frequencyLabel,
      id,
      money(amount, tokenSymbol),
      subscribers,
      state,
      payments,
    ]),
    ...(skipped ? [[frequencyLabel, "no due day of this frequency"]] : []),
    ...(hasMore ? [[frequencyLabel, "there are more: --skip"]] : []),
  ]);
  const columns = ["frequency", "plan", "amount", "subscribers", "state", "payments"];
  return [{ title: `Due on ${date}`, columns, rows }];
}

export function planTables({ totals, transactions, hasMore }: Answer<"getRemitPlan">): Table[] {
  return [
    {
      title: `Plan of remit(): ${totals.transactions} transactions, ${totals.payments} payments, ${totals.failures} failures`,
      columns: ["transaction", "day", "payments", "failures", "gas", "fees"],
      rows: transactions.map(({ index, dayNumber, payments, failures, gasUsed, callerFees }) => [
        index,
        dayNumber,
        payments,
        failures,
        gasUsed,
        amounts(callerFees),
      ]),
    },
    ...more(hasMore, "--skip"),
  ];
}

export function forecastTables({ backlog, days }: Answer<"getRemitForecast">): Table[] {
  return [
    factsTable("Backlog", backlog),
    {
      title: "Forecast",
      columns: ["date", "plans", "payments", "failures", "transactions", "fees"],
      rows: days.map(({ date, subscriptions, payments, expectedFailures, transactions, callerFees }) => [
        date,
        subscriptions,
        payments,
        expectedFailures,
        transactions,
        amounts(callerFees),
      ]),
    },
  ];
}

export function subscriptionTables(answer: Answer<"getSubscription">): Table[] {
  return [factsTable("Plan", answer)];
}

export function accountTables({ account, subscribedTo, created, hasMore }: Answer<"getAccount">): Table[] {
  return [
    {
      title: `Plans that ${account} pays for`,
      columns: ["plan", "amount", "frequency", "status", "next charge", "covered", "fails on", "cause"],
      rows: subscribedTo.map(({ subscription, statusLabel, nextDueDate, coveredPayments, failsOn, cause }): Cell[] => [
        subscription.id,
        money(subscription.amount, subscription.tokenSymbol),
        subscription.frequencyLabel,
        statusLabel,
        nextDueDate,
        coveredPayments,
        failsOn,
        cause,
      ]),
    },
    {
      title: `Plans that ${account} sells`,
      columns: ["plan", "amount", "frequency", "cancelled", "subscribers"],
      rows: created.map(({ subscription, totalSubscribers }): Cell[] => [
        subscription.id,
        money(subscription.amount, subscription.tokenSymbol),
        subscription.frequencyLabel,
        subscription.cancelled,
        totalSubscribers,
      ]),
    },
    ...more(hasMore, "--skip"),
  ];
}

export function healthTables({ account, days, tokens, plans }: Answer<"getAccountHealth">): Table[] {
  return [
    {
      title: `Tokens of ${account}, for the charges of ${days} days`,
      columns: ["token", "due", "allowance", "balance", "lacks allowance", "lacks balance", "covered until"],
      rows: tokens.map((each): Cell[] => [
        each.symbol ?? each.token,
        each.due,
        each.allowance,
        each.balance,
        each.missingAllowance,
        each.missingBalance,
        each.coveredUntilDate,
      ]),
    },
    {
      title: "Plans",
      columns: ["plan", "name", "amount", "next charge", "covered", "fails on", "cause"],
      rows: plans.map((each): Cell[] => [
        each.id,
        each.name,
        money(each.amount, each.tokenSymbol),
        each.nextDueDate,
        each.coveredPayments,
        each.failsOn,
        each.cause,
      ]),
    },
  ];
}

export function incomeTables({ provider, periods }: Answer<"getProviderIncome">): Table[] {
  return [
    {
      title: `Income of ${provider}`,
      columns: ["from", "to", "token", "charges", "failures", "paid", "refunded", "net"],
      rows: periods.map((each): Cell[] => [
        each.start,
        each.end,
        each.tokenSymbol ?? each.token,
        each.charges,
        each.failures,
        each.paid,
        each.refunded,
        each.net,
      ]),
    },
  ];
}

export function metricsTables({ provider, periods }: Answer<"getProviderMetrics">): Table[] {
  return [
    {
      title: `Members and monthly recurring revenue of ${provider}`,
      columns: ["from", "to", "token", "at start", "new", "back", "left", "failed", "removed", "at end", "MRR"],
      rows: periods.map((each): Cell[] => [
        each.start,
        each.end,
        each.tokenSymbol ?? each.token,
        each.activeStart,
        each.new,
        each.reactivated,
        each.left,
        each.failed,
        each.removed,
        each.activeEnd,
        each.mrrEnd,
      ]),
    },
  ];
}

export function statusTables({ checks: { chains, ...checks }, ...service }: Answer<"getStatus">): Table[] {
  return [
    factsTable("Service", { ...service, ...checks }),
    {
      title: "Chains",
      columns: ["chain", "node", "head", "indexed", "behind s", "reason"],
      rows: chains.map(({ chainId, rpc, headBlock, eventIndex, reason }): Cell[] => [
        chainId,
        rpc.status,
        headBlock,
        eventIndex?.indexedBlock,
        eventIndex?.behindSeconds,
        reason,
      ]),
    },
  ];
}

export function transactionTables(answer: Answer<"getTransactionStatus">): Table[] {
  return [factsTable("Transaction", answer)];
}

export function permitsTables({ permits, nextAfter }: Answer<"listPermits">): Table[] {
  return [
    {
      title: "Kept permits",
      columns: ["permit", "owner", "allows", "until"],
      rows: permits.map(({ id, owner, value, deadline }): Cell[] => [id, owner, value, toInstant(deadline)]),
    },
    ...more(nextAfter !== null, `--after ${nextAfter}`),
  ];
}

export function eventsTables({ events, hasMore, nextAfter }: Answer<"listEvents">): Table[] {
  return [
    { title: "Events", columns: ["seq", "time", "event", "what"], rows: events.map(eventRow) },
    ...more(hasMore, `--after ${nextAfter}`),
  ];
}

/** How to read the next page of a list, where there is one. */
function more(hasMore: boolean, option: string): Table[] {
  return hasMore ? [{ title: "There are more", columns: ["next page"], rows: [[option]] }] : [];
}

/** The number, time and type of an event, and the single values of its data. */
export function eventRow({ seq, timestamp, type, data }: DuedayEvent): Cell[] {
  const facts = factsTable("", data).rows.map(([field, value]) => `${field}=${value ?? "-"}`);
  return [seq, timestamp, type, facts.join(" ")];
}

function amounts(all: readonly Amount[]): string {
  return all.map(({ amount, symbol }) => money(amount, symbol)).join(", ");
}

function money(amount: string, symbol: string | null | undefined): string {
  return symbol === null || symbol === undefined ? amount : `${amount} ${symbol}`;
}

function toInstant(seconds: string): string {
  return new Date(Number(seconds) * 1000).toISOString();
}
