import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { PreparePlan } from "@dueday/chain/prepare/preparePlan";
import {
  type PrepareInput,
  type PrepareParameters,
  prepareTransaction,
  prepareTransactions,
} from "@dueday/chain/prepare/prepareTransactions";
import {
  type FactsReader,
  resolveSubscription,
  type SubscriptionReference,
} from "@dueday/chain/prepare/resolveSubscription";
import type { SubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import type { ErrorCode } from "@dueday/core/errors";
import { answerLive } from "../../chains/answerLive";
import type { Context } from "../../operation/context";

const errors: readonly ErrorCode[] = [
  "NOT_READY",
  "SIMULATION_FAILED",
  "UPSTREAM_ERROR",
  "UPSTREAM_UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
];

/** What all prepares of a subscription's transactions have in common. */
export const prepareOperation = {
  chainScoped: true,
  bucket: "write",
  area: "subscriptions",
  // Preparing changes nothing: only the caller can sign and broadcast.
  annotations: { readOnlyHint: true, openWorldHint: true },
  errors,
} as const;

/** The errors of a prepare that names an existing subscription. */
export const errorsOnSubscription: readonly ErrorCode[] = [...errors, "NOT_FOUND"];

/** The request's part of a prepare: the rest comes from the chain that it selected. */
export type Prepare<F extends object> = Pick<PrepareParameters<F>, "operation" | "input" | "plan">;

/** The answer of a prepare that can take several transactions. */
export async function answerPrepare<F extends object>(context: Context, prepare: Prepare<F>) {
  const chain = context.chain.config;
  const { asOf, ...answer } = await answerLive(context, (client, block) =>
    prepareTransactions(client, { ...prepare, chain, block }),
  );
  return { requestId: context.requestId, ...answer, asOf };
}

/** The answer of a prepare that always takes one transaction. */
export async function answerSinglePrepare<F extends object>(context: Context, prepare: Prepare<F>) {
  const chain = context.chain.config;
  const { asOf, ...answer } = await answerLive(context, (client, block) =>
    prepareTransaction(client, { ...prepare, chain, block }),
  );
  return { requestId: context.requestId, ...answer, asOf };
}

export type PrepareOnSubscription<S, F extends object> = {
  operation: string;
  input: PrepareInput & SubscriptionReference;
  read: FactsReader<S>;
  plan: (facts: S, block: ChainBlock) => PreparePlan<F>;
};

/** A prepare whose plan needs the facts of the subscription that the input names; they are looked up at once. */
export function onSubscription<S extends SubscriptionFacts, F extends object>(
  { chain: { client, config } }: Context,
  { operation, input, read, plan }: PrepareOnSubscription<S, F>,
): Prepare<F> {
  const resolve = resolveSubscription(client, { contract: config.contract, reference: input, read });
  return { operation, input, plan: async (client, block) => plan(await resolve(client, block), block) };
}
