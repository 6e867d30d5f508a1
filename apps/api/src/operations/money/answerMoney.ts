import { dayToDate } from "@dueday/core/calendar/dates";
import type { PeriodLength } from "@dueday/core/calendar/periods";
import { LIST_LIMIT, listOf } from "@dueday/core/paging";
import {
  Address,
  CalendarDate,
  Count,
  DecimalString,
  described,
  SignedDecimalString,
  SignedTokenUnits,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { type MoneyRole, type MoneySum, readMoney } from "@dueday/db/history/readMoney";
import { type Static, Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import type { Context } from "../../operation/context";
import { readDayRange } from "../../operation/dates";
import { inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { readIndexed } from "../../operation/readIndexed";
import { amountPair } from "./amountPair";
import { Group, periodInput, requestedPeriods, tooManyPeriods } from "./requestedPeriods";

/** Inputs of the views of money, besides the account. */
export const moneyInput = {
  ...periodInput,
  token: inQuery(Type.Optional({ ...Address, description: "Only this token" })),
  ...detailInQuery,
};

/** Sums that only a provider has. */
const returned = {
  returnedPrepayments: Type.Optional({
    ...DecimalString,
    description: "Fee balances received from subscribers that left; part of net, in addition to paid",
  }),
  returnedPrepaymentsRaw: Type.Optional({ ...TokenUnits, description: "The same in token units" }),
};

const sums = (role: MoneyRole) => {
  const what =
    role === "provider"
      ? {
          paid: "Received by charges",
          refunded: "The same as returnedPrepayments, under its old name",
          net: "paid + returnedPrepayments",
        }
      : { paid: "Paid by charges", refunded: "Fee balances received back", net: "paid - refunded" };
  return {
    token: Address,
    tokenSymbol: UntrustedText,
    tokenDecimals: TokenDecimals,
    charges: { ...Count, description: "Charges that succeeded, each counted once" },
    failures: { ...Count, description: "Charges that failed" },
    paid: { ...DecimalString, description: what.paid },
    paidRaw: { ...TokenUnits, description: "The same in token units" },
    failed: { ...DecimalString, description: "Whole amounts of failed charges" },
    failedRaw: { ...TokenUnits, description: "The same in token units" },
    refunded: { ...DecimalString, description: what.refunded },
    refundedRaw: { ...TokenUnits, description: "The same in token units" },
    // Its fields are optional, so an answer without them has this type too.
    ...(role === "provider" ? returned : ({} as typeof returned)),
    net: { ...SignedDecimalString, description: `${what.net}, in whole tokens` },
    netRaw: { ...SignedTokenUnits, description: `${what.net}, in token units` },
  };
};

/** Output fields of a view of money, for a provider or a subscriber. */
export function moneyOutput(role: MoneyRole) {
  const sum = Type.Object(sums(role));
  return {
    fromDate: { ...CalendarDate, description: "First day that is counted, UTC" },
    toDate: { ...CalendarDate, description: "Last day that is counted, UTC" },
    group: { ...Group, description: "Length of a period" },
    periods: Type.Array(
      Type.Object({
        start: { ...CalendarDate, description: "First day of the period that is counted" },
        end: { ...CalendarDate, description: "Last day, included" },
        ...sums(role),
      }),
      {
        maxItems: LIST_LIMIT,
        description:
          "Oldest first, one entry for each token; periods without any charge, failure or refund are left out",
      },
    ),
    totals: described(listOf(sum), "The whole range, one entry for each token"),
  };
}

/** What a summary of a view of money leaves out: token units and what `totals` has for each token. */
export function moneySummarized(role: MoneyRole) {
  const fields = ["paidRaw", "failedRaw", "refundedRaw", "netRaw"];
  if (role === "provider") fields.push("refunded", "returnedPrepaymentsRaw");
  return {
    omits: [
      "periods.tokenSymbol",
      "periods.tokenDecimals",
      "totals.tokenDecimals",
      ...fields.flatMap((field) => [`periods.${field}`, `totals.${field}`]),
    ],
  };
}

type MoneyInput = { fromDate?: string; toDate?: string; group: PeriodLength; token?: string };

/** What an account received as provider, or paid as subscriber, by period and token, as of the indexed block. */
export async function answerMoney(
  context: Context,
  { account, role, ...input }: MoneyInput & { account: string; role: MoneyRole },
) {
  const { group, token } = input;
  const range = readDayRange(input);
  const { value, asOf } = await readIndexed(context, (database, scope) =>
    readMoney(database, scope, {
      account: toLowerCase(account),
      role,
      token: token === undefined ? undefined : toLowerCase(token),
      periods: (today) => requestedPeriods(range, group, today),
    }),
  );
  if (value === null) throw tooManyPeriods(group);
  const { periods, sums: found } = value;
  const totals = [...Map.groupBy(found, ({ token: of }) => of).values()].map((ofToken) => ofToken.reduce(add));
  return {
    fromDate: dayToDate(periods[0]?.start ?? 0),
    toDate: dayToDate(periods.at(-1)?.end ?? 0),
    group,
    periods: found.map(({ period, ...sum }) => ({
      start: dayToDate(period.start),
      end: dayToDate(period.end),
      ...presentSum(sum, role),
    })),
    totals: totals.map((sum) => presentSum(sum, role)),
    asOf,
  };
}

function add<T extends MoneySum>(a: T, b: T): T {
  return {
    ...a,
    paid: a.paid + b.paid,
    failed: a.failed + b.failed,
    refunded: a.refunded + b.refunded,
    charges: a.charges + b.charges,
    failures: a.failures + b.failures,
  };
}

function presentSum(sum: MoneySum, role: MoneyRole): Static<ReturnType<typeof moneyOutput>["totals"]>[number] {
  const { token, tokenSymbol, tokenDecimals, charges, failures, paid, failed, refunded } = sum;
  const net = role === "provider" ? paid + refunded : paid - refunded;
  return {
    token: getAddress(token),
    tokenSymbol,
    tokenDecimals,
    charges,
    failures,
    ...amountPair("paid", paid, tokenDecimals),
    ...amountPair("failed", failed, tokenDecimals),
    ...amountPair("refunded", refunded, tokenDecimals),
    ...(role === "provider" ? amountPair("returnedPrepayments", refunded, tokenDecimals) : {}),
    ...amountPair("net", net, tokenDecimals),
  };
}
