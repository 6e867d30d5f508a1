import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { greater, lesser } from "@dueday/core/amounts/lesser";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { countDueDays } from "@dueday/core/calendar/countDueDays";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { toFrequency } from "@dueday/core/calendar/frequency";
import type { SubscriptionArgument } from "@dueday/core/calldata/subscriptionArgument";
import { ACTIVE_STATUS } from "@dueday/core/subscriptionStatus";
import { WALK_DAYS } from "@dueday/core/walk/coverage";
import { lastDayOfPeriods } from "@dueday/core/walk/neededAllowance";
import { type Address, type Hex, isAddressEqual, maxUint256 } from "viem";
import { getBlock, readContract } from "viem/actions";
import type { WalletClient } from "./sendTransactions";

export type ApprovalBoundParameters = {
  contract: Address;
  account: Address;
  token: Address;
  /** The plan whose periods count; without it, those of every plan that the account pays in the token. */
  plan?: SubscriptionArgument;
  /** A plan that the account leaves: it needs no approval. */
  without?: Hex | undefined;
  /** The time whose charges count: a number of periods, or of days after today. */
  time: { periods: number } | { days: number };
};

/** The most units that an approval may set, by the wallet's own node. */
export type ApprovalBound = {
  /** For all charges of the account in the token within the time, and one whole amount of `plan` besides. */
  ofTime: bigint;
  /** For a renewal, which keeps the part of the present allowance that is needed in the next 400 days. */
  ofRenewal: bigint;
};

/** Counts every due day that is not closed: the service may prepare less, because it knows what the open days have charged already. */
export async function readApprovalBound(
  client: WalletClient,
  { contract, account, token, plan, without, time }: ApprovalBoundParameters,
): Promise<ApprovalBound> {
  const protocol = { address: contract, abi: protocolAbi } as const;
  const erc20 = { address: token, abi: erc20Abi } as const;
  const [block, nextUncheckedDay, rows, decimals, allowance] = await Promise.all([
    getBlock(client),
    readContract(client, { ...protocol, functionName: "nextUncheckedDay" }),
    readContract(client, { ...protocol, functionName: "getAccountSubscriptions", args: [true, account] }),
    readContract(client, { ...erc20, functionName: "decimals" }),
    readContract(client, { ...erc20, functionName: "allowance", args: [account, contract] }),
  ]);
  const paid = rows
    .filter(({ subscription, status }) => status === ACTIVE_STATUS && !subscription.cancelled)
    .map(({ subscription }) => subscription)
    .filter((each) => isAddressEqual(each.token, token) && each.id !== plan?.id && each.id !== without);
  const plans = (plan === undefined ? paid : [...paid, plan]).map(({ amount, frequency, dueDay }) => ({
    units: toTokenUnits(amount, decimals),
    frequency: toFrequency(frequency),
    dueDay,
  }));
  const today = dayNumber(block.timestamp);
  const days = { today, nextUncheckedDay };
  const counted = plan === undefined ? plans : plans.slice(-1);
  const lastDay =
    "days" in time
      ? today + time.days
      : Math.max(today, ...counted.map((each) => lastDayOfPeriods(days, each, time.periods)));
  const through = (to: number) =>
    plans.reduce((sum, { units, frequency, dueDay }) => {
      return sum + units * BigInt(countDueDays({ frequency, dueDay, from: nextUncheckedDay, to }));
    }, 0n);
  const ofTime = lesser(through(lastDay) + (plan === undefined ? 0n : toTokenUnits(plan.amount, decimals)), maxUint256);
  const kept = lesser(allowance, through(today + WALK_DAYS));
  return { ofTime, ofRenewal: greater(kept, ofTime) };
}
