import { validationError } from "@dueday/core/errors";
import { pageFacts } from "@dueday/core/paging";
import { type Address, getAddress } from "viem";
import type { PlanFacts } from "./presentPlan";
import { presentRemitPlan } from "./presentRemitPlan";

export type PlanPage = {
  /** The keeper that would call remit(). */
  from: Address;
  /** Only the payments of the transaction with this index. */
  transaction?: number | undefined;
  /** `token:wei`, each token once. */
  prices?: readonly string[] | undefined;
  first: number;
  skip: number;
};

/**
 * A page of a plan's payments, with the transactions they are in.
 *
 * @throws ServiceError VALIDATION_ERROR for a token that has two prices
 */
export function pageRemitPlan(costed: PlanFacts, { from, transaction, prices, first, skip }: PlanPage) {
  const priceByToken = prices === undefined ? null : readPrices(prices);
  const all = costed.plan.details?.payments ?? [];
  const wanted = transaction === undefined ? all : all.filter((payment) => payment.transaction === transaction);
  const payments = wanted.slice(skip, skip + first);
  const page = pageFacts({ count: wanted.length, skip, shown: payments.length });
  const transactions = shownTransactions(costed, {
    transaction,
    payments,
    isFirst: skip === 0,
    isLast: !page.hasMore,
  });
  return { ...presentRemitPlan(costed, { from, payments, transactions, priceByToken }), ...page };
}

/** @throws ServiceError VALIDATION_ERROR for a token that has two prices. */
function readPrices(texts: readonly string[]): Map<Address, bigint> {
  const prices = new Map<Address, bigint>();
  for (const text of texts) {
    const [token = "", wei = "0"] = text.split(":");
    const address = getAddress(token);
    if (prices.has(address))
      throw validationError("price", "REPEATED", `must name each token once, and names ${address} twice`);
    prices.set(address, BigInt(wei));
  }
  return prices;
}

/** Transactions of an answer whose plan has no payments: a plan without the model's details. */
const TRANSACTIONS_WITHOUT_PAYMENTS = 200;

function shownTransactions(
  { plan }: PlanFacts,
  page: {
    transaction: number | undefined;
    payments: readonly { transaction: number }[];
    isFirst: boolean;
    isLast: boolean;
  },
) {
  const { length } = plan.transactions;
  if (page.transaction !== undefined) return { first: page.transaction, end: page.transaction + 1 };
  if (plan.details === null) return { first: 0, end: Math.min(length, TRANSACTIONS_WITHOUT_PAYMENTS) };
  const first = page.isFirst ? 0 : (page.payments[0]?.transaction ?? length);
  return { first, end: page.isLast ? length : (page.payments.at(-1)?.transaction ?? length - 1) + 1 };
}
