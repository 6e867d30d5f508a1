import { useEffect } from "react";
import { postToOpener } from "../sale/postToOpener";
import type { CheckoutRequest } from "../sale/readRequest";
import type { Checkout } from "../sale/useCheckout";

/** Sends the shop's button one message when the checkout is shown. */
export function useAnnounced(checkout: Checkout | null, request: CheckoutRequest): void {
  const isShown = checkout !== null;
  // Depends on `isShown` alone: the first answer sends the message, and later answers send none.
  useEffect(() => {
    if (checkout !== null) postToOpener({ type: "dueday:ready" }, { request, checkout });
  }, [isShown]);
}
