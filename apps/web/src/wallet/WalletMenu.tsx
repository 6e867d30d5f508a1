import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { type Connector, useConnect, useConnection, useConnectors, useDisconnect, useSwitchChain } from "wagmi";
import { useInstallation } from "../config/ChainContext";
import { AddressLabel } from "../ui/AddressLabel";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ShortHex } from "../ui/ShortHex";
import { withoutOldWallet } from "./browserWallets";
import { describeFailure } from "./describeFailure";
import { FailureNotice } from "./FailureNotice";
import { NoWallet } from "./NoWallet";
import { WalletArea } from "./WalletArea";
import classes from "./WalletMenu.module.css";

export type WalletMenuProps = { isOpen: boolean; onOpen(): void; onClose(): void };

/** The connected wallet, or the choice of one, in a dialog. */
export function WalletMenu(props: WalletMenuProps) {
  return (
    <WalletArea>
      <Menu {...props} />
    </WalletArea>
  );
}

function Menu({ isOpen, onOpen, onClose }: WalletMenuProps) {
  const { address } = useConnection();
  // Closes the dialog when the reader has chosen a wallet, or when a known wallet has connected by itself.
  useEffect(() => {
    if (address !== undefined) onClose();
  }, [address]);
  return (
    <>
      <Button onClick={onOpen} aria-haspopup="dialog">
        {address === undefined ? "Connect wallet" : <ShortHex value={address} />}
      </Button>
      <Dialog title={address === undefined ? "Connect a wallet" : "Your wallet"} isOpen={isOpen} onClose={onClose}>
        {address === undefined ? <Choice /> : <Connected address={address} onDone={onClose} />}
      </Dialog>
    </>
  );
}

/** The wallets of this browser. */
function Choice() {
  const { mutate: connect, isPending, error } = useConnect();
  const { chainId } = useInstallation().chain;
  // wagmi takes the id of a connector from its wallet's `rdns`.
  const connectors = withoutOldWallet(useConnectors(), ({ id }) => id);
  if (connectors.length === 0) return <NoWallet />;
  const choose = (connector: Connector) => connect({ connector, chainId });
  return (
    <>
      <ul className={classes.list}>
        {connectors.map((connector) => (
          <li key={connector.uid}>
            <Button className={classes.wallet} disabled={isPending} onClick={() => choose(connector)}>
              {connector.icon !== undefined && <img src={connector.icon.trim()} alt="" width={20} height={20} />}
              {connector.name}
            </Button>
          </li>
        ))}
      </ul>
      {error !== null && <FailureNotice failure={describeFailure(error)} />}
    </>
  );
}

function Connected({ address, onDone }: { address: string; onDone(): void }) {
  const { mutate: disconnect } = useDisconnect({ mutation: { onSuccess: onDone } });
  const { mutate: switchChain, isPending, error } = useSwitchChain();
  const { chain } = useInstallation();
  const { chainId } = useConnection();
  const links = [
    ["/my", "What I pay"],
    ["/providers/$address", "What I earn"],
  ] as const;
  return (
    <div className={classes.connected}>
      <AddressLabel kind="address" value={address} whole />
      {chainId !== chain.chainId && (
        <Button kind="primary" disabled={isPending} onClick={() => switchChain({ chainId: chain.chainId })}>
          Switch to {chain.name}
        </Button>
      )}
      {error !== null && <FailureNotice failure={describeFailure(error)} />}
      <p className={classes.links}>
        {links.map(([to, text]) => (
          <Link key={to} to={to} params={{ address }} onClick={onDone}>
            {text}
          </Link>
        ))}
      </p>
      <Button onClick={() => disconnect({})}>Disconnect</Button>
    </div>
  );
}
