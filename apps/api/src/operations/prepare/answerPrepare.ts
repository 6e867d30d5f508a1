import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { type MayName, prefetchNamed } from "@dueday/chain/prepare/namedSubscription";
import { identified, type PrepareInput, type PrepareScope } from "@dueday/chain/prepare/prepareTransactions";
import type { ErrorCode } from "@dueday/core/errors";
import { answerLive } from "../../operation/answerLive";
import type { Context } from "../../operation/context";
import { summarizedPrepare } from "./prepareInput";

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
  summarized: summarizedPrepare,
} as const;

/** What the prepares that name an existing subscription have in common. */
export const prepareOnSubscription = { ...prepareOperation, errors: [...errors, "NOT_FOUND"] } as const;

/** The answer of a prepare of `packages/chain`, at one block. While the block is read, the subscription that the input names is looked up. */
export async function answerPrepare<I extends PrepareInput & MayName, A extends { summary: string }>(
  context: Context,
  operation: string,
  input: I,
  prepare: (client: ChainClient, parameters: PrepareScope & I) => Promise<A>,
) {
  const { config: chain, coverage, client } = context.chain;
  const prefetched = prefetchNamed({ client, contract: chain.contract }, input);
  const answer = await answerLive(context, (client, block) =>
    prepare(client, { ...input, operation, chain, coverage, block, prefetched }),
  );
  return identified(context.requestId, answer);
}
