import { greater, lesser } from "@dueday/core/amounts/lesser";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { RemitState, RemitSubscription } from "@dueday/core/remit/state";
import { INFINITE_ALLOWANCE } from "@dueday/core/remit/tokenLedger";
import { WALK_DAYS } from "@dueday/core/walk/coverage";
import { lastDayOfPeriods, neededAllowance } from "@dueday/core/walk/neededAllowance";
import { type CoverageWalk, walkCoverage } from "@dueday/core/walk/walkCoverage";
import { withHolding } from "@dueday/core/walk/withSubscriber";
import type { Address } from "viem";
import type { RenewalWish } from "./readApproval";

export type ApproveOutlook = {
  /** The new allowance, token units. */
  value: bigint;
  /** How many charges of the plan the new allowance covers, and how many the present balance covers, along with all else that the account pays. */
  runway: { periodsByAllowance: number; periodsByBalance: number };
};

export type ForeseeApproveParameters = {
  account: Address;
  token: Address;
  /** Of the account for the contract, token units. */
  allowance: bigint;
  /** The plan whose periods are counted; the account has to be one of its payers. */
  plan: RemitSubscription;
  wish: RenewalWish;
};

/** A balance that is more than any plan needs, so that only the allowance decides. */
export const PLENTY = 2n ** 255n;

/** The allowance that a renewal asks for, and how long it lasts. */
export async function foreseeApprove(
  { state, estimated }: CoverageWalk,
  { account, token, allowance, plan, wish }: ForeseeApproveParameters,
): Promise<ApproveOutlook> {
  const value = await renewedAllowance(state, { account, token, allowance, plan, wish });
  const periodsWith = async (change: { allowance: bigint } | { balance: bigint }) => {
    const other = "allowance" in change ? { balance: PLENTY } : { allowance: INFINITE_ALLOWANCE };
    const changed = withHolding(state, token, account, { ...other, ...change });
    return (await walkCoverage(changed, { estimated })).coverageOf(plan.id, account).coveredPayments;
  };
  const { balance = 0n } = state.tokens.get(token)?.holdings.get(account) ?? {};
  const [periodsByAllowance, periodsByBalance] = [
    await periodsWith({ allowance: value }),
    await periodsWith({ balance }),
  ];
  return { value, runway: { periodsByAllowance, periodsByBalance } };
}

async function renewedAllowance(
  state: RemitState,
  { account, token, allowance, plan, wish }: ForeseeApproveParameters,
): Promise<bigint> {
  const { infiniteApproval = false, approvalPeriods = 1, exact = false } = wish;
  if (infiniteApproval) return INFINITE_ALLOWANCE;
  if (exact) {
    const { decimals = 0 } = state.tokens.get(token) ?? {};
    return lesser(toTokenUnits(plan.amount, decimals) * BigInt(approvalPeriods), INFINITE_ALLOWANCE);
  }
  const needed = await neededAllowance(state, {
    account,
    token,
    throughDay: lastDayOfPeriods(state, plan, approvalPeriods),
  });
  if (needed >= allowance) return lesser(needed, INFINITE_ALLOWANCE);
  // A shorter renewal of one plan must not take away what the other plans still need.
  const ofAll = await neededAllowance(state, { account, token, throughDay: state.today + WALK_DAYS });
  return lesser(greater(needed, lesser(ofAll, allowance)), INFINITE_ALLOWANCE);
}
