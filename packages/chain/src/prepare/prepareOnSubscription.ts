import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import type { SubscriptionFacts } from "../reads/readSubscriptionFacts";
import type { PreparePlan } from "./preparePlan";
import type { PrepareInput, PrepareParameters } from "./prepareTransactions";
import { type FactsReader, resolveSubscription, type SubscriptionReference } from "./resolveSubscription";

/** The request's part of a prepare: the rest comes from the chain that it selected. */
export type Prepare<F extends object> = Pick<PrepareParameters<F>, "operation" | "input" | "plan">;

export type PrepareOnSubscription<S, F extends object> = {
  operation: string;
  input: PrepareInput & SubscriptionReference;
  read: FactsReader<S>;
  plan: (facts: S, block: ChainBlock) => PreparePlan<F>;
};

/** A prepare whose plan needs the facts of the subscription that the input names; they are looked up at once. */
export function prepareOnSubscription<S extends SubscriptionFacts, F extends object>(
  client: ChainClient,
  { contract, operation, input, read, plan }: PrepareOnSubscription<S, F> & { contract: Address },
): Prepare<F> {
  const resolve = resolveSubscription(client, { contract, reference: input, read });
  return { operation, input, plan: async (client, block) => plan(await resolve(client, block), block) };
}
