import type { Context } from "../../operation/context";
import { type Prepare, prepareTransactions } from "./prepareTransactions";

/** Like `prepareTransactions`, for what always takes one transaction: no batch for the wallet. */
export async function prepareTransaction<F extends object>(context: Context, prepare: Prepare<F>) {
  const answer = await prepareTransactions(context, prepare);
  if ("signingMode" in answer && answer.signingMode !== "raw")
    throw new Error(`${prepare.operation} planned more than one transaction`);
  return answer;
}
