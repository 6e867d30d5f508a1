import { coveredPeriods } from "@dueday/chain/prepare/judgeSubscribe";
import { readMeans } from "@dueday/chain/subscriptions/readMeans";
import { unknownSubscription } from "@dueday/chain/subscriptions/readSubscription";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate, timestampToIso } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { EntitlementView } from "@dueday/core/entitlement/entitlement";
import { entitlementOf } from "@dueday/core/entitlement/entitlementOf";
import { Address } from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { readMembership } from "@dueday/db/queries/readMembership";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { requireContract } from "../../chains/monitorChain";
import { chainAnswer } from "../../operation/chainAnswer";
import { chainRead } from "../../operation/chainRead";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { untilMinBlock } from "../../operation/minBlock";
import { subscriptionId } from "../pathInputs";

export const getEntitlement = defineOperation({
  ...chainRead,
  name: "get_entitlement",
  http: { method: "GET", path: "/subscriptions/:id/entitlement" },
  summary: "Whether an account may use what it subscribed to",
  forAgents:
    "Whether an account has paid for a subscription now, until when, and why not: what a merchant asks at each login",
  description:
    "For a merchant's backend, at each login. An account whose charge is due and was not tried yet (past_due) is entitled: a late " +
    "remit() is not the subscriber's fault. One that unsubscribed, or whose subscription was cancelled, is entitled until the end of " +
    "paidThroughDate. It is true for the newest indexed block: asOf names it.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["read", "provider"],
  errors: ["NOT_FOUND", "NOT_INDEXED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({ id: subscriptionId, account: inQuery({ ...Address, description: "The subscriber" }) }),
  output: chainAnswer(EntitlementView.properties),
  example: { id: `0x${"12".repeat(32)}`, account: "0x1111111111111111111111111111111111111111" },
  async handler(context, input) {
    const { chain } = context;
    requireContract(chain);
    const { chainId, contract } = chain.config;
    const id = toLowerCase(input.id);
    const account = getAddress(input.account);
    // The node is asked for the block of the index, so that both are true for one state.
    const {
      value: history,
      block,
      asOf,
    } = await untilMinBlock(
      context,
      () =>
        chain.readIndexed((database, scope) =>
          readMembership(database, scope, { id, subscriber: toLowerCase(account) }),
        ),
      ({ block }, minBlock) => BigInt(block.number) >= minBlock,
    );
    if (history === null) throw unknownSubscription(chainId, id);
    const token = getAddress(history.token);
    const means = await readMeans(chain.client, { contract, token, account, block });
    const amount = toTokenUnits(history.amount, history.tokenDecimals);
    const covered = (units: bigint) => coveredPeriods({ units, charge: 0n, amount });
    const { entitled, state, paidThroughDay, nextDueDay } = entitlementOf({
      history,
      nextUncheckedDay: means.nextUncheckedDay,
      today: dayNumber(block.timestamp),
      isPaused: means.isPaused,
    });
    return {
      ...{ chainId, id, account, entitled, state },
      since: isoOrNull(history.subscribedAt),
      lastPaymentAt: isoOrNull(history.lastPayment?.timestamp ?? null),
      paidThroughDate: paidThroughDay === null ? null : dayToDate(paidThroughDay),
      nextDueDate: nextDueDay === null ? null : dayToDate(nextDueDay),
      coveredPayments: Math.min(covered(means.allowance), covered(means.balance)),
      asOf,
    };
  },
});

function isoOrNull(timestamp: number | null): string | null {
  return timestamp === null ? null : timestampToIso(timestamp);
}
