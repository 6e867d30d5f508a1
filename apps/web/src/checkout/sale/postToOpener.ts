import type { ButtonMessage } from "./checkoutResult";
import type { CheckoutRequest } from "./readRequest";
import type { Checkout } from "./useCheckout";

/** The window that opened this page, as a frame or a tab; null where there is none. */
function openerWindow(): Window | null {
  if (window.parent !== window) return window.parent;
  // What opens a window is a window.
  return window.opener as Window | null;
}

/** Sends a message to the page that opened the checkout, where the seller lists its origin: a stranger's page gets nothing. */
export function postToOpener(
  message: ButtonMessage,
  { request: { origin }, checkout: { frameOrigins } }: { request: CheckoutRequest; checkout: Checkout },
): boolean {
  const opener = openerWindow();
  if (opener === null || origin === null || !frameOrigins.includes(origin)) return false;
  opener.postMessage(message, origin);
  return true;
}
