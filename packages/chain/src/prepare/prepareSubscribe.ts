import { getAddress } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { expectNamed, targetOf } from "./namedSubscription";
import { planSubscribe } from "./planSubscribe";
import { type PrepareOnSubscription, prepareTransactions } from "./prepareTransactions";
import type { ApprovalWish } from "./readApproval";
import { readSubscribeFacts } from "./readSubscribeFacts";

type PrepareSubscribe = PrepareOnSubscription & {
  /** From `readApproval`. */
  approval: ApprovalWish;
};

/** Unsigned subscribe(), after approve() where the allowance is too low. Throws ServiceError as `prepareTransactions`, and NOT_FOUND. */
export async function prepareSubscribe(client: ChainClient, parameters: PrepareSubscribe) {
  return prepareTransactions(client, { ...parameters, plan: plan(client, parameters) });
}

async function plan(client: ChainClient, parameters: PrepareSubscribe) {
  const { approval, block, chain, coverage } = parameters;
  const target = await targetOf(parameters);
  const account = getAddress(parameters.from);
  const found = await readSubscribeFacts(client, { ...target, account, coverage, approval });
  return planSubscribe({ facts: expectNamed(client, parameters, found), contract: chain.contract, block });
}
