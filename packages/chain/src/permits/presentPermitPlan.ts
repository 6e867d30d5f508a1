import { formatUnits } from "@dueday/core/amounts/decimalText";
import { tokenAmount } from "@dueday/core/amounts/tokenAmount";
import type { KeptPermit } from "@dueday/core/permit/permit";
import type { PermitPlan } from "@dueday/core/remit/permitPlan";
import { SAVED_PAYMENTS } from "@dueday/core/remit/plan";
import { expectToken } from "../reads/expectToken";
import { type PlanFacts, presentPlan, presentTotals } from "../remit/presentPlan";
import type { PermitPlanFacts } from "./readPermitPlan";

/** The largest number of listed transactions of the plan after the permits; the plan's totals cover all. */
const MOST_TRANSACTIONS = 50;

/** A kept permit as the store has it. */
export type IdentifiedPermit = KeptPermit & { id: string };

/** The fields `permits` and `afterPermits` of an answer; empty and null where no permit saves a payment. */
export function presentPermitPlan(facts: PlanFacts, after: PermitPlanFacts<IdentifiedPermit> | null): PermitPlan {
  if (after === null) return { permits: [], afterPermits: null };
  const { tokens } = after;
  const planned = { ...facts, plan: after.plan, tokens };
  return {
    permits: after.permits.map(({ permit: { id, token: address, owner, value, deadline }, saves, callerFee }) => {
      const token = expectToken(tokens, address);
      return {
        id,
        token: address,
        owner,
        value: formatUnits(value, token.decimals),
        valueRaw: value.toString(),
        tokenDecimals: token.decimals,
        deadline: deadline.toString(),
        payments: saves.length,
        saves: saves.slice(0, SAVED_PAYMENTS).map(({ transaction, id, dayNumber }) => ({ transaction, id, dayNumber })),
        callerFee: tokenAmount(token, callerFee > 0n ? callerFee : 0n),
      };
    }),
    afterPermits: {
      ...presentPlan(planned, { first: 0, end: MOST_TRANSACTIONS }),
      totals: presentTotals(planned),
    },
  };
}
