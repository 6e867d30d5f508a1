import { erc20Abi } from "@dueday/core/abi/erc20";
import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import type { RemitSubscription } from "@dueday/core/remit/state";
import { lastDayOfPeriods } from "@dueday/core/walk/neededAllowance";
import type { CoverageWalk } from "@dueday/core/walk/walkCoverage";
import type { Address } from "viem";
import { readOwnWalk } from "../accounts/readOwnWalk";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { contractRead } from "../reads/contractRead";
import { expectToken } from "../reads/expectToken";
import { valueOrNone } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";
import { readSubscriberFacts, type SubscriberFacts } from "../reads/readSubscriberFacts";
import type { SubscriptionRecord } from "../reads/readSubscriptions";
import { readTokenInfos } from "../reads/readTokenInfos";
import type { SubscriptionTarget } from "../reads/readWithPrefetch";
import type { CoverageReader } from "../walk/createCoverageReader";
import { type ApproveOutlook, foreseeApprove } from "./foreseeApprove";
import type { RenewalWish } from "./readApproval";

/** Everything that decides the renewal of an allowance. */
export type ApproveFacts = {
  account: Address;
  token: TokenInfo;
  /** Token units. */
  allowance: bigint;
  balance: bigint;
  /** The plan whose periods count; null where the account pays none in the token. */
  record: SubscriptionRecord | null;
  /** Null where there is nothing to renew. */
  outlook: ApproveOutlook | null;
};

type Wished = { account: Address; coverage: CoverageReader; wish: RenewalWish };

/** By the id of a plan. Null for an id that the contract does not know. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readApproveFacts(
  client: ChainClient,
  { account, coverage, wish, ...target }: SubscriptionTarget & Wished,
): Promise<(SubscriberFacts & { outlook: ApproveOutlook | null }) | null> {
  const { contract, block } = target;
  const [facts, walk] = await Promise.all([
    readSubscriberFacts(client, { ...target, account }),
    readOwnWalk(client, { contract, account, coverage, block }),
  ]);
  if (facts === null) return null;
  const { token, allowance } = facts;
  const plan = walk.plansOf(account).find(({ id }) => id === facts.record.id);
  const parameters = { account, token: token.address, allowance, wish };
  return { ...facts, outlook: plan === undefined ? null : await foreseeApprove(walk, { ...parameters, plan }) };
}

/** By a token: the periods are those of the account's plan with the longest period. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readTokenApproveFacts(
  client: ChainClient,
  {
    account,
    coverage,
    wish,
    contract,
    token,
    block,
  }: Wished & { contract: Address; token: Address; block: ChainBlock },
): Promise<ApproveFacts> {
  const [[allowance, balance], tokens, walk] = await Promise.all([
    readMany(
      client,
      [
        contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [account, contract] }),
        contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] }),
      ],
      block,
    ),
    readTokenInfos(client, { contract, tokens: [token], block }),
    readOwnWalk(client, { contract, account, coverage, block }),
  ]);
  const held = { allowance: valueOrNone(allowance), balance: valueOrNone(balance) };
  const plan = longestPlan(walk, account, token);
  const outlook = plan && (await foreseeApprove(walk, { account, token, allowance: held.allowance, plan, wish }));
  return { account, token: expectToken(tokens, token), ...held, record: plan, outlook };
}

/** The plan with the longest period; of several, the one whose next period ends last. */
function longestPlan({ state, plansOf }: CoverageWalk, account: Address, token: Address): RemitSubscription | null {
  const plans = plansOf(account).filter((plan) => plan.token === token);
  const byLength = (a: RemitSubscription, b: RemitSubscription) =>
    b.frequency - a.frequency || lastDayOfPeriods(state, b, 1) - lastDayOfPeriods(state, a, 1);
  return plans.toSorted(byLength)[0] ?? null;
}
