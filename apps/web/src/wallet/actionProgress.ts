import type { CheckedTransaction } from "@dueday/sdk/actions";
import type { Failure } from "./describeFailure";

/** How far a write is, from the click to the page that shows its result. */
export type ActionProgress =
  | { step: "idle" }
  /** The service prepares it, and what it prepared is checked. */
  | { step: "preparing" }
  /** The wallet is asked to sign; `sent` are the hashes (or the id of the batch) that it has returned. */
  | { step: "signing"; transactions: readonly CheckedTransaction[]; sent: readonly string[] }
  /** Everything is in a block; the service is asked for answers of that block. */
  | { step: "mined"; hashes: readonly string[]; block: bigint }
  /** The page shows it. `isBehind`: the service has not indexed the block yet; the page follows when it has. */
  | { step: "done"; hashes: readonly string[]; block: bigint; isBehind: boolean }
  | { step: "failed"; failure: Failure };

/** Whether a write is under way, so that none is begun beside it. */
export function isBusy({ step }: ActionProgress): boolean {
  return step === "preparing" || step === "signing" || step === "mined";
}
