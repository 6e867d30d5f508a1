import {
  type Prepare,
  type PrepareOnSubscription,
  prepareOnSubscription,
} from "@dueday/chain/prepare/prepareOnSubscription";
import { prepareTransaction, prepareTransactions } from "@dueday/chain/prepare/prepareTransactions";
import type { SubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import type { ErrorCode } from "@dueday/core/errors";
import { answerLive } from "../../operation/answerLive";
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

/** The answer of a prepare that can take several transactions. */
export async function answerPrepare<F extends object>(context: Context, prepare: Prepare<F>) {
  const chain = context.chain.config;
  const { asOf, summary, ...answer } = await answerLive(context, (client, block) =>
    prepareTransactions(client, { ...prepare, chain, block }),
  );
  return { summary, requestId: context.requestId, ...answer, asOf };
}

/** The answer of a prepare that always takes one transaction. */
export async function answerSinglePrepare<F extends object>(context: Context, prepare: Prepare<F>) {
  const chain = context.chain.config;
  const { asOf, summary, ...answer } = await answerLive(context, (client, block) =>
    prepareTransaction(client, { ...prepare, chain, block }),
  );
  return { summary, requestId: context.requestId, ...answer, asOf };
}

/** A prepare on the subscription that the input names. */
export function onSubscription<S extends SubscriptionFacts, F extends object>(
  { chain: { client, config } }: Context,
  prepare: PrepareOnSubscription<S, F>,
): Prepare<F> {
  return prepareOnSubscription(client, { contract: config.contract, ...prepare });
}
