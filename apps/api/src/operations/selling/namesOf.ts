import { readNames, type StoredNames } from "@dueday/db/history/readNames";
import type { Hex } from "viem";
import type { Context } from "../../operation/context";

/** Names of plans and sellers for an answer that is complete without them: where the index does not answer, the result is empty. */
export async function namesOf(
  { chain, logger, requestId }: Context,
  wanted: { ids: readonly Hex[]; providers: readonly Hex[] },
): Promise<StoredNames> {
  try {
    return (await chain.readIndexed((database, scope) => readNames(database, scope, wanted))).value;
  } catch (error) {
    logger.warn({ requestId, err: error }, "plans are named by their terms: the index does not answer");
    return { plans: new Map(), sellers: new Map() };
  }
}
