import { useMutation } from "@tanstack/react-query";
import { useConnect, useConnection, useConnectors } from "wagmi";
import { useInstallation } from "../config/ChainContext";
import { Button } from "../ui/Button";
import { Stack } from "../ui/Stack";
import { shorten } from "../ui/shorten";
import { describeFailure } from "../wallet/describeFailure";
import { FailureNotice } from "../wallet/FailureNotice";
import { NoWallet } from "../wallet/NoWallet";
import classes from "./SignIn.module.css";
import { useSignIn } from "./useSignIn";

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
    <Stack>
      <div className={classes.actions}>
        {connectors.map((connector) => (
          <Button key={connector.uid} disabled={isPending} onClick={() => connect({ connector, chainId })}>
            Connect {connector.name}
          </Button>
        ))}
      </div>
      {error !== null && <FailureNotice failure={describeFailure(error)} />}
    </Stack>
  );
}

function Sign({ address }: { address: `0x${string}` }) {
  const signIn = useMutation({ mutationFn: useSignIn() });
  return (
    <Stack>
      <div className={classes.actions}>
        <Button kind="primary" disabled={signIn.isPending} onClick={() => signIn.mutate(address)}>
          {signIn.isPending ? "Confirm in your wallet" : `Sign in as ${shorten(address)}`}
        </Button>
      </div>
      {signIn.error !== null && <FailureNotice failure={describeFailure(signIn.error)} />}
    </Stack>
  );
}
