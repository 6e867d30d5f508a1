import { useEffect } from "react";
import { postToOpener } from "../sale/postToOpener";
import type { CheckoutRequest } from "../sale/readRequest";
import type { Checkout } from "../sale/useCheckout";

/** Sends the shop's button one message when the checkout is shown. */
export function useAnnounced(checkout: Checkout | null, request: CheckoutRequest): void {
  const isShown = checkout !== null;
  // The first answer decides; later ones change nothing in it.
  useEffect(() => {
    if (checkout !== null) postToOpener({ type: "dueday:ready" }, { request, checkout });
  }, [isShown]);
}
