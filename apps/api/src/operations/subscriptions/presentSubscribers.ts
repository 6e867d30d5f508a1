import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { readPaymentCoverage } from "@dueday/chain/reads/readPaymentCoverage";
import type { SubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { Address } from "@dueday/core/schema";
import { ACTIVE_STATUS, StatusLabel, SubscriptionStatus, statusLabel } from "@dueday/core/subscriptionStatus";
import { Type } from "@sinclair/typebox";
import type { Address as AddressText } from "viem";
import { pageFacts } from "../../operation/paging";
import { FeeBalance, feeBalanceFields } from "./feeBalance";

export const Subscriber = Type.Object({
  subscriber: Address,
  ...FeeBalance.properties,
  status: SubscriptionStatus,
  statusLabel: StatusLabel,
  allowanceCovers: Type.Boolean({ description: "The allowance for the contract is enough for one more payment" }),
  balanceCovers: Type.Boolean({ description: "The balance is enough for one more payment" }),
});

/** A page of a subscription's active subscribers. */
export type SubscriberRows = {
  /** Fee balances have 18 decimals. */
  rows: readonly { subscriber: AddressText; feeBalance: bigint }[];
  /** Of the whole list. */
  count: number;
  skip: number;
};

export type PresentSubscribersParameters = {
  contract: AddressText;
  facts: SubscriptionFacts;
  page: SubscriberRows;
  block: ChainBlock;
};

/** Adds to each active subscriber of the page what its token says of it; one round trip for all. */
export async function presentSubscribers(client: ChainClient, parameters: PresentSubscribersParameters) {
  const { contract, facts, page, block } = parameters;
  const { record, token } = facts;
  const { rows, count, skip } = page;
  const units = toTokenUnits(record.amount, token.decimals);
  const covered = await readPaymentCoverage(client, {
    contract,
    token: token.address,
    subscribers: rows,
    units,
    block,
  });
  return {
    subscribers: covered.map(({ subscriber, feeBalance, allowanceCovers, balanceCovers }) => ({
      subscriber,
      ...feeBalanceFields(feeBalance, token.decimals),
      status: ACTIVE_STATUS,
      statusLabel: statusLabel(ACTIVE_STATUS),
      allowanceCovers,
      balanceCovers,
    })),
    ...pageFacts({ count, skip, shown: rows.length }),
  };
}
