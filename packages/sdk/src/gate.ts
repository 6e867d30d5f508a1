/** For shops: whether the browser that returns from a checkout belongs to the payer, and whether a visitor still pays. */

export { CheckoutError, type CheckoutErrorCode } from "./gate/checkoutError";
export { type CheckoutClaim, checkoutMessage, type SignedFacts } from "./gate/checkoutMessage";
export { createGate, type Gate, type GateOptions, type Visitor } from "./gate/createGate";
export {
  type Checkout,
  type CheckoutProof,
  type ReceivedProof,
  type VerifyCheckoutOptions,
  verifyCheckout,
} from "./gate/verifyCheckout";
