import { logPlanAlarm } from "@dueday/chain/remit/logPlanAlarm";
import type { PlanFacts } from "@dueday/chain/remit/presentPlan";
import { presentRemitPlan } from "@dueday/chain/remit/presentRemitPlan";
import { readRemitPlan } from "@dueday/chain/remit/readRemitPlan";
import { validationError } from "@dueday/core/errors";
import { pageFacts, pageFields } from "@dueday/core/paging";
import { RemitPlanAnswer } from "@dueday/core/remit/remitPlanAnswer";
import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { getAddress, type Address as HexAddress } from "viem";
import { answerLiveOnce } from "../../chains/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { FIRST_DEFAULT, first, skip } from "../../operation/paging";

/** Most prices in one request. */
const PRICES = 20;

const price = Type.String({
  pattern: "^0x[0-9a-fA-F]{40}:(?:0|[1-9][0-9]{0,39})$",
  expects: "<token address>:<wei>, where wei is the price of one whole token, an integer of at most 40 digits",
});

export const getRemitPlan = defineOperation({
  name: "get_remit_plan",
  http: { method: "GET", path: "/remit/plan" },
  summary: "Every payment of the remit plan: transaction, outcome and caller fee, and what each transaction is worth",
  description:
    "What calling remit() again and again would do now, payment by payment: paid, fee_fill (paid, and the fee balance topped up), " +
    "fails_allowance, fails_balance, skipped (cancelled, paused or unsubscribed) or missed (passed over by the protocol's paging). " +
    "transactions are those of the page's payments, each with its gas (simulated, or fitted on simulated ones), fees and cost; with " +
    "price given, once for each token, also what it earns net at these prices and the gas price at which it would earn nothing. " +
    "unpaidFees names fees that the caller will not receive. transaction shows the payments of one transaction alone.",
  chainScoped: true,
  bucket: "expensive",
  area: "remit",
  toolsets: ["read", "keeper"],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({
    from: inQuery(
      Type.Optional({ ...Address, description: "The keeper that would call remit(); it changes gas alone" }),
    ),
    transaction: inQuery(Type.Optional(Type.Integer({ minimum: 0, description: "Index of one transaction" }))),
    price: inQuery(
      Type.Optional(
        Type.Array(price, {
          maxItems: PRICES,
          description: "token:wei, the price of one whole token in wei of the native token; may be repeated",
        }),
      ),
    ),
    first,
    skip,
  }),
  output: chainAnswer({ ...RemitPlanAnswer.properties, ...pageFields }),
  example: { first: FIRST_DEFAULT, price: ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913:400000000000000"] },
  deadlineMs: 60_000,
  async handler(context, { from: caller, transaction, price: prices, first, skip }) {
    const { config, remitState: stateCache } = context.chain;
    const { logger, service } = context;
    const priceByToken = prices === undefined ? null : readPrices(prices);
    const from = getAddress(caller ?? service.config.planCaller);
    const { chainId, asOf, ...costed } = await answerLiveOnce(context, `plan ${from}`, (client, block) =>
      readRemitPlan(client, {
        ...{ contract: config.contract, from, block, stateCache },
        onAlarm: (alarm) => logPlanAlarm(logger, alarm),
      }),
    );
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
    return { chainId, ...presentRemitPlan(costed, { from, payments, transactions, priceByToken }), ...page, asOf };
  },
});

/** @throws ServiceError VALIDATION_ERROR for a token that has two prices. */
function readPrices(texts: readonly string[]): Map<HexAddress, bigint> {
  const prices = new Map<HexAddress, bigint>();
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
