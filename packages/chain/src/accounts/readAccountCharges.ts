import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { RemitSubscription } from "@dueday/core/remit/state";
import type { FailureCause } from "@dueday/core/walk/coverage";
import { walkCured } from "@dueday/core/walk/walkCured";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectToken } from "../reads/expectToken";
import { readTokenInfos } from "../reads/readTokenInfos";
import type { CoverageReader } from "../walk/createCoverageReader";
import { readOwnWalk } from "./readOwnWalk";

export type AccountChargesParameters = {
  contract: Address;
  account: Address;
  /** Days after today that are looked at, 1 to 400. */
  days: number;
  coverage: CoverageReader;
  block: ChainBlock;
};

export type AccountCharge = {
  plan: RemitSubscription;
  token: TokenInfo;
  dayNumber: number;
  /** Token units. */
  units: bigint;
  /** What the charge lacks first, allowance or balance; null where it passes. */
  lacks: FailureCause | null;
};

/**
 * The coming charges of an account, in the order in which remit() makes them, each as if what the ones before it lacked had been
 * supplied. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function readAccountCharges(
  client: ChainClient,
  { contract, account, days, coverage, block }: AccountChargesParameters,
): Promise<AccountCharge[]> {
  const walk = await readOwnWalk(client, { contract, account, coverage, block });
  const plans = new Map(walk.plansOf(account).map((plan) => [plan.id, plan]));
  const tokens = [...plans.values()].map(({ token }) => token);
  const [infos, { charges }] = await Promise.all([
    readTokenInfos(client, { contract, tokens, block }),
    walkCured(walk.state, account, days),
  ]);
  return charges.flatMap(({ id, dayNumber, lack }) => {
    const plan = plans.get(id);
    if (plan === undefined) return [];
    const token = expectToken(infos, plan.token);
    const lacks = lack === null ? null : lack.allowance > 0n ? "allowance" : "balance";
    return [{ plan, token, dayNumber, units: toTokenUnits(plan.amount, token.decimals), lacks }];
  });
}
