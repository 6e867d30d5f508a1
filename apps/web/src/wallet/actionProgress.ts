import type { Failure } from "./describeFailure";

/** How far a write is, from the click to the page that shows its result. */
export type ActionProgress =
  | { step: "idle" }
  /** The service prepares the transactions, and this page checks them. */
  | { step: "preparing" }
  /** The wallet is asked for `count` transactions and has sent `sent`. */
  | { step: "signing"; count: number; sent: number }
  /** All transactions are mined, the last one in `block`; the service is asked for answers of that block or a later one. */
  | { step: "mined"; hashes: readonly string[]; block: bigint }
  /** The page shows the result. `isBehind`: the service has not indexed the block yet, and the page shows the result later. */
  | { step: "done"; hashes: readonly string[]; block: bigint; isBehind: boolean }
  | { step: "failed"; failure: Failure };

/** Whether a write is under way. A second one is not started beside it. */
export function isBusy({ step }: ActionProgress): boolean {
  return step === "preparing" || step === "signing" || step === "mined";
}
