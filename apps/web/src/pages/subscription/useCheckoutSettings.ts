import type { Operations } from "@dueday/sdk";
import { renewQueries, useDueday } from "@dueday/sdk/react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSignIn } from "../../portal/useSignIn";

export type CheckoutSettings = Operations["getPortalCheckout"]["output"];

/** Operations whose answers contain the settings. */
const RENEWED = ["getCheckout", "getPortalCheckout"] as const;

/**
 * Changes the checkout settings of a seller. Without a portal session of the seller, the wallet signs a message first.
 * The stored settings are read directly before the change, so that it keeps all other fields.
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
