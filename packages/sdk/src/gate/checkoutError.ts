/**
 * - `MALFORMED`: not a message of a checkout, for example one that signs in somewhere; or a text or a signature is missing.
 * - `WRONG_HOST`, `WRONG_SELLER`, `WRONG_CHAIN`, `WRONG_PLAN`, `WRONG_REFERENCE`: signed for another checkout, shop, chain, plan or order.
 * - `CHANGED`: another part of the text differs from what the checkout asks to sign.
 * - `EXPIRED`: older than five minutes, or of the future.
 * - `WRONG_SIGNATURE`: not signed by the account in the message.
 * - `ANY_SIGNATURE`: the account is a contract that accepts random signatures too, so its signature proves nothing.
 * - `NOT_ENTITLED`: signed by the account, which does not pay for the plan.
 * - `USED`: `consume` did not accept the reference.
 * - `UNAVAILABLE`: the service or the node did not answer, or the service is behind the chain, so nothing is known; try again.
 */
export type CheckoutErrorCode =
  | "MALFORMED"
  | "WRONG_HOST"
  | "WRONG_SELLER"
  | "WRONG_CHAIN"
  | "WRONG_PLAN"
  | "WRONG_REFERENCE"
  | "CHANGED"
  | "EXPIRED"
  | "WRONG_SIGNATURE"
  | "ANY_SIGNATURE"
  | "NOT_ENTITLED"
  | "USED"
  | "UNAVAILABLE";

/** A checkout that is not proven. Answer with 403, or with 503 for `UNAVAILABLE`. */
export class CheckoutError extends Error {
  override readonly name = "CheckoutError";

  constructor(
    readonly code: CheckoutErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
