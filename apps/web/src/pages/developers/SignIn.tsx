import type { OperationName } from "@dueday/sdk";
import { DUEDAY_KEY, useDueday } from "@dueday/sdk/react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useConnect, useConnection, useConnectors, useSignMessage } from "wagmi";
import { useInstallation } from "../../config/ChainContext";
import { NoWallet } from "../../states/NoWallet";
import { Button } from "../../ui/Button";
import { shorten } from "../../ui/shorten";
import { describeFailure } from "../../wallet/describeFailure";
import { FailureNotice } from "../../wallet/FailureNotice";
import classes from "./Developers.module.css";
import { usePortalAction } from "./usePortalAction";

/** What the portal reads for the account that is signed in. */
const OWN_READS: readonly OperationName[] = [
  "listPortalKeys",
  "getPortalUsage",
  "listWebhooks",
  "listWebhookDeliveries",
];

/** Signs in with the connected wallet, or offers the wallets of this browser first. */
export function SignIn() {
  const { address } = useConnection();
  return address === undefined ? <Choice /> : <Sign address={address} />;
}

function Choice() {
  const { mutate: connect, isPending, error } = useConnect();
  const { chainId } = useInstallation().chain;
  const connectors = useConnectors();
  if (connectors.length === 0) return <NoWallet />;
  return (
    <div className={classes.parts}>
      <div className={classes.actions}>
        {connectors.map((connector) => (
          <Button key={connector.uid} disabled={isPending} onClick={() => connect({ connector, chainId })}>
            Connect {connector.name}
          </Button>
        ))}
      </div>
      {error !== null && <FailureNotice failure={describeFailure(error)} />}
    </div>
  );
}

function Sign({ address }: { address: `0x${string}` }) {
  const { dueday } = useDueday();
  const { mutateAsync: signMessage } = useSignMessage();
  const queryClient = useQueryClient();
  const start = usePortalAction("createPortalSession", "getPortalSession");
  const signIn = useMutation({
    async mutationFn() {
      const { message } = await dueday.createPortalChallenge({ address });
      const signature = await signMessage({ message });
      // Another account may have been signed in before: nothing of it is shown to this one.
      for (const name of OWN_READS) queryClient.removeQueries({ queryKey: [DUEDAY_KEY, name] });
      return start.mutateAsync({ message, signature });
    },
  });
  return (
    <div className={classes.parts}>
      <div className={classes.actions}>
        <Button kind="primary" disabled={signIn.isPending} onClick={() => signIn.mutate()}>
          {signIn.isPending ? "Confirm in your wallet" : `Sign in as ${shorten(address)}`}
        </Button>
      </div>
      {signIn.error !== null && <FailureNotice failure={describeFailure(signIn.error)} />}
    </div>
  );
}
