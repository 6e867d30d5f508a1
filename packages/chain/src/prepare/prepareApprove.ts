import { getAddress } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { expectNamed, targetOf } from "./namedSubscription";
import { planApprove, type Renewal } from "./planApprove";
import { type PrepareParameters, prepareTransactions } from "./prepareTransactions";
import { readApproveFacts, readTokenApproveFacts } from "./readApproveFacts";

type PrepareApprove = PrepareParameters & {
  /** From `readRenewal`. */
  renewal: Renewal;
};

/**
 * Unsigned approve() with which a subscriber renews its allowance. Throws ServiceError as `prepareTransactions` does, and NOT_FOUND where
 * the renewal names a plan by an id that the contract does not know.
 */
export async function prepareApprove(client: ChainClient, parameters: PrepareApprove) {
  return prepareTransactions(client, { ...parameters, plan: plan(client, parameters) });
}

async function plan(client: ChainClient, parameters: PrepareApprove) {
  const { block, chain, coverage, renewal } = parameters;
  const { contract } = chain;
  const { wish } = renewal;
  const account = getAddress(parameters.from);
  if ("token" in renewal) {
    const { token } = renewal;
    const facts = await readTokenApproveFacts(client, { account, coverage, wish, contract, token, block });
    return planApprove(facts, { contract });
  }
  const { id } = renewal;
  const target = await targetOf({ ...parameters, id });
  const found = await readApproveFacts(client, { ...target, account, coverage, wish });
  return planApprove(expectNamed(client, { id }, found), { contract });
}
