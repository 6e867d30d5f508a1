import type { Failure } from "../../wallet/describeFailure";
import type { CheckoutResult } from "../sale/checkoutResult";

/** How far a payment is, from the click to its result. */
export type PaymentProgress =
  | { step: "idle" }
  | { step: "preparing" }
  /** The wallet is asked for `count` transactions and has sent `sent`; `approved` is the amount that they approve, null without an approval. */
  | { step: "signing"; count: number; sent: number; approved: string | null }
  | { step: "proving" }
  | { step: "done"; result: CheckoutResult }
  | { step: "failed"; failure: Failure };
