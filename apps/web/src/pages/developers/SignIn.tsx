import { useDueday } from "@dueday/sdk/react";
import { useMutation } from "@tanstack/react-query";
import { useConnect, useConnection, useConnectors, useSignMessage } from "wagmi";
import { useInstallation } from "../../config/ChainContext";
import { ErrorState } from "../../states/ErrorState";
import { NoWallet } from "../../states/NoWallet";
import { shorten } from "../../ui/AddressLabel";
import { Button } from "../../ui/Button";
import classes from "./Developers.module.css";
import { usePortalAction } from "./usePortalAction";

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
      {error !== null && <ErrorState error={error} title="The wallet did not connect" />}
    </div>
  );
}

function Sign({ address }: { address: `0x${string}` }) {
  const { dueday } = useDueday();
  const { mutateAsync: signMessage } = useSignMessage();
  const start = usePortalAction("createPortalSession", "getPortalSession");
  const signIn = useMutation({
    async mutationFn() {
      const { message } = await dueday.createPortalChallenge({ address });
      const signature = await signMessage({ message });
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
      {signIn.error !== null && <ErrorState error={signIn.error} title="Not signed in" />}
    </div>
  );
}
