import { readOwnWalk } from "@dueday/chain/accounts/readOwnWalk";
import { readBlockByHash } from "@dueday/chain/block/parseBlock";
import { readChargeTerms } from "@dueday/chain/subscriptions/readChargeTerms";
import { unknownSubscription } from "@dueday/chain/subscriptions/readSubscription";
import { presentCoverage } from "@dueday/chain/walk/presentCoverage";
import { dayToDate, timestampToIso } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { EntitlementView } from "@dueday/core/entitlement/entitlement";
import { entitlementOf } from "@dueday/core/entitlement/entitlementOf";
import { Address as AddressSchema } from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { NOTHING_COMING, type PlanCoverage } from "@dueday/core/walk/coverage";
import { readMembership } from "@dueday/db/history/readMembership";
import { Type } from "@sinclair/typebox";
import { type Address, getAddress, type Hex } from "viem";
import { requireContract } from "../../chains/monitorChain";
import { chainAnswer } from "../../operation/chainAnswer";
import { chainRead } from "../../operation/chainRead";
import type { Context } from "../../operation/context";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { subscriptionId } from "../../operation/pathInputs";
import { readIndexed } from "../../operation/readIndexed";

export const getEntitlement = defineOperation({
  ...chainRead,
  name: "get_entitlement",
  http: { method: "GET", path: "/subscriptions/:id/entitlement" },
  summary: "Whether an account may use what it subscribed to",
  forAgents: "Whether an account has paid for a subscription, until when, and why not: for a merchant's login",
  description:
    "For a merchant's backend, at each login. An account whose charge is due and was not tried yet (past_due) is entitled: a late " +
    "remit() is not the subscriber's fault. One that unsubscribed, or whose subscription was cancelled, is entitled until the end of " +
    "paidThroughDate. The answer is true for the newest indexed block: asOf names it.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["read", "provider"],
  errors: ["NOT_FOUND", "NOT_INDEXED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({ id: subscriptionId, account: inQuery({ ...AddressSchema, description: "The subscriber" }) }),
  output: chainAnswer(EntitlementView.properties),
  example: { id: `0x${"12".repeat(32)}`, account: "0x1111111111111111111111111111111111111111" },
  async handler(context, input) {
    const { chain } = context;
    requireContract(chain);
    const { chainId, contract } = chain.config;
    const id = toLowerCase(input.id);
    const account = getAddress(input.account);
    // The node is asked for its state at the block of the index, so that both describe one state.
    const {
      value: history,
      block,
      asOf,
    } = await readIndexed(context, (database, scope) =>
      readMembership(database, scope, { id, subscriber: toLowerCase(account) }),
    );
    if (history === null) throw unknownSubscription(chainId, id);
    const token = getAddress(history.token);
    const isSubscribed = history.subscribedAt !== null && history.left === null && !history.cancelled;
    const [terms, plan] = await Promise.all([
      readChargeTerms(chain.client, { contract, token, block }),
      isSubscribed ? readPlanCoverage(context, { id, account, blockHash: block.hash }) : NOTHING_COMING,
    ]);
    const { coveredPayments, failsOn, cause } = presentCoverage(plan);
    const { entitled, state, paidThroughDay, nextDueDay } = entitlementOf({
      history,
      nextUncheckedDay: terms.nextUncheckedDay,
      today: dayNumber(block.timestamp),
      isPaused: terms.isPaused,
    });
    return {
      chainId,
      id,
      account,
      entitled,
      state,
      since: isoOrNull(history.subscribedAt),
      lastPaymentAt: isoOrNull(history.lastPayment?.timestamp ?? null),
      paidThroughDate: paidThroughDay === null ? null : dayToDate(paidThroughDay),
      nextDueDate: nextDueDay === null ? null : dayToDate(nextDueDay),
      coveredPayments,
      failsOn,
      cause,
      asOf,
    };
  },
});

/** How far the account covers the plan together with all else that it pays in the token, at the block of the index. */
async function readPlanCoverage(
  { chain: { client, config, coverage } }: Context,
  { id, account, blockHash }: { id: Hex; account: Address; blockHash: Hex },
): Promise<PlanCoverage> {
  const block = await readBlockByHash(client, blockHash);
  const walk = await readOwnWalk(client, { contract: config.contract, account, coverage, block });
  return walk.coverageOf(id, account);
}

function isoOrNull(timestamp: number | null): string | null {
  return timestamp === null ? null : timestampToIso(timestamp);
}
