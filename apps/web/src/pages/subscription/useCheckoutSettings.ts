import type { Operations } from "@dueday/sdk";
import { renewQueries, useDueday } from "@dueday/sdk/react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSignIn } from "../../portal/useSignIn";

export type CheckoutSettings = Operations["getPortalCheckout"]["output"];

/** Their answers show the settings, or that somebody is signed in. */
const RENEWED = ["getCheckout", "getPortalCheckout"] as const;

/**
 * Changes where a seller's checkouts may be shown and return to. Without a portal session of the seller, the wallet signs a message first.
 * What is stored is read at that moment, so that a change keeps everything else.
 */
export function useCheckoutSettings(seller: `0x${string}`) {
  const { dueday } = useDueday();
  const signIn = useSignIn();
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn(change: (before: CheckoutSettings) => CheckoutSettings) {
      const { session } = await dueday.getPortalSession();
      if (session?.address.toLowerCase() !== seller.toLowerCase()) await signIn(seller);
      const { origins, returnUrls, supportUrl, paymasterUrl } = change(await dueday.getPortalCheckout());
      return dueday.setPortalCheckout({
        origins,
        returnUrls,
        ...(supportUrl !== null && { supportUrl }),
        ...(paymasterUrl !== null && { paymasterUrl }),
      });
    },
    onSuccess: () => renewQueries(queryClient, RENEWED),
  });
}
