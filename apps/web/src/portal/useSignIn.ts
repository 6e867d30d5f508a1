import type { OperationName } from "@dueday/sdk";
import { DUEDAY_KEY, renewQueries, useDueday } from "@dueday/sdk/react";
import { useQueryClient } from "@tanstack/react-query";
import type { Address } from "viem";
import { useSignMessage } from "wagmi";

/** Operations that the portal reads for the account that is signed in. */
const OWN_READS: readonly OperationName[] = [
  "listPortalKeys",
  "getPortalUsage",
  "listWebhooks",
  "listWebhookDeliveries",
  "getPortalCheckout",
  "getPortalReminders",
];

/** Signs in to the portal with a connected wallet, which is asked to sign a message. Rejects where the wallet's owner or the service refuses. */
export function useSignIn(): (address: Address) => Promise<void> {
  const { dueday } = useDueday();
  const { mutateAsync: signMessage } = useSignMessage();
  const queryClient = useQueryClient();
  return async (address) => {
    const { message } = await dueday.createPortalChallenge({ address });
    const signature = await signMessage({ message });
    // Another account may have been signed in before: its answers must not be shown to this account.
    for (const name of OWN_READS) queryClient.removeQueries({ queryKey: [DUEDAY_KEY, name] });
    await dueday.createPortalSession({ message, signature });
    await renewQueries(queryClient, ["getPortalSession"]);
  };
}
