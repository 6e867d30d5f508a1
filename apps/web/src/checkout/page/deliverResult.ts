import { type CheckoutResult, toReturnUrl } from "../sale/checkoutResult";
import { postToOpener } from "../sale/postToOpener";
import type { CheckoutRequest } from "../sale/readRequest";
import type { Checkout } from "../sale/useCheckout";

/** Brings a result to the seller: to the page that opened the checkout and, unless the checkout is in a frame, to the seller's `return_url`, which the service has allowed. */
export function deliverResult(
  result: CheckoutResult,
  { request, checkout }: { request: CheckoutRequest; checkout: Checkout },
): void {
  const isPosted = postToOpener({ type: "dueday:result", result }, { request, checkout });
  if (checkout.returnUrl !== null && window.parent === window) location.assign(toReturnUrl(checkout.returnUrl, result));
  else if (isPosted && window.opener !== null) window.close();
}
