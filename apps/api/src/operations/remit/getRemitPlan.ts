import { presentPermitPlan } from "@dueday/chain/permits/presentPermitPlan";
import { logPlanAlarm } from "@dueday/chain/remit/logPlanAlarm";
import { pageRemitPlan } from "@dueday/chain/remit/pageRemitPlan";
import { presentTotals } from "@dueday/chain/remit/presentPlan";
import { readRemitPlan } from "@dueday/chain/remit/readRemitPlan";
import { pageFields } from "@dueday/core/paging";
import { RemitPlanAnswer } from "@dueday/core/remit/remitPlanAnswer";
import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerLiveOnce } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { liveRead } from "../../operation/chainRead";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { FIRST_DEFAULT, first, skip } from "../../operation/paging";
import { compareWithServed } from "./compareWithServed";
import { permitPlanOf } from "./permitPlanOf";
import { readKeptPermits } from "./readKeptPermits";

/** More than the plan of any real backlog has. */
const MOST_TRANSACTIONS = 1_000_000;
/** Most prices in one request. */
const PRICES = 20;

const price = Type.String({
  pattern: "^0x[0-9a-fA-F]{40}:(?:0|[1-9][0-9]{0,39})$",
  maxLength: 83,
  expects: "<token address>:<wei>, where wei is the price of one whole token, an integer of at most 40 digits",
});

export const getRemitPlan = defineOperation({
  ...liveRead,
  name: "get_remit_plan",
  http: { method: "GET", path: "/remit/plan" },
  summary: "Every payment of the remit plan: transaction, outcome and caller fee, and what each transaction is worth",
  forAgents:
    "Every payment that remit() calls would make now, in order, with outcome and fee; use it to explain a plan. Totals alone: get_remit_readiness",
  description:
    "What calling remit() again and again would do now, payment by payment: paid, fee_fill (paid, and the fee balance topped up), " +
    "fails_allowance, fails_balance, skipped (cancelled, paused or unsubscribed) or missed (passed over by the protocol's paging). " +
    "transactions are those of the page's payments, each with its gas (simulated, or fitted on simulated ones), fees and cost; with " +
    "price given, once for each token, also what it earns net at these prices and the gas price at which it would earn nothing. " +
    "unpaidFees names fees that the caller will not receive. transaction shows the payments of one transaction alone. permits are kept " +
    "permits that would save payments of this plan, and afterPermits is the plan after they are submitted; nothing else counts them.",
  bucket: "expensive",
  area: "remit",
  toolsets: ["read", "keeper"],
  input: Type.Object({
    from: inQuery(
      Type.Optional({ ...Address, description: "The keeper that would call remit(); it changes gas alone" }),
    ),
    transaction: inQuery(
      Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MOST_TRANSACTIONS,
          description: "Index of one transaction",
          expects: `the index of a transaction, 0 to ${MOST_TRANSACTIONS}`,
        }),
      ),
    ),
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
    ...detailInQuery,
  }),
  summarized: {
    omits: [
      "transactions.callerFees",
      "transactions.closesDays",
      "payments.callerFee.token",
      "payments.callerFee.amountRaw",
      "payments.callerFee.tokenDecimals",
      "totals.callerFees.amountRaw",
      "totals.callerFees.tokenDecimals",
      "permits",
      "afterPermits",
    ],
  },
  output: chainAnswer({ ...RemitPlanAnswer.properties, ...pageFields }),
  example: { first: FIRST_DEFAULT, price: ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913:400000000000000"] },
  deadlineMs: 60_000,
  async handler(context, { from: caller, transaction, price: prices, first, skip }) {
    const { config, remitState: stateCache } = context.chain;
    const { logger, service } = context;
    const from = getAddress(caller ?? service.config.planCaller);
    const { chainId, asOf, afterPermits, permitWarnings, ...costed } = await answerLiveOnce(
      context,
      `plan ${from}`,
      async (client, block) => {
        const facts = await readRemitPlan(client, {
          contract: config.contract,
          from,
          block,
          stateCache,
          onAlarm: (alarm) => logPlanAlarm(logger, alarm),
        });
        compareWithServed(context, block, { totals: presentTotals(facts), end: facts.plan.end });
        const { plan } = facts;
        const kept = readKeptPermits(context);
        const afterPermits = await permitPlanOf(context, client, { kept, from, block, plan });
        return { ...facts, afterPermits, permitWarnings: kept.warnings() };
      },
    );
    const { warnings, ...page } = pageRemitPlan(costed, { from, transaction, prices, first, skip });
    const permits = presentPermitPlan(costed, afterPermits);
    return { chainId, ...page, ...permits, warnings: [...warnings, ...permitWarnings], asOf };
  },
});
