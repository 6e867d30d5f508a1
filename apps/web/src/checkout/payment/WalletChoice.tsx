import type { EIP6963ProviderDetail } from "mipd";
import { useState } from "react";
import type { EIP1193Provider } from "viem";
import { Loading } from "../../states/Loading";
import { Notice } from "../../states/Notice";
import { Button } from "../../ui/Button";
import { QrCode } from "../../ui/QrCode";
import { cleanText } from "../../ui/UntrustedText";
import { useBrowserWallets } from "../../wallet/browserWallets";
import { describeFailure, type Failure } from "../../wallet/describeFailure";
import { FailureNotice } from "../../wallet/FailureNotice";
import { type Connection, connectWallet } from "./connectWallet";
import classes from "./Payment.module.css";
import { walletApps } from "./walletApps";

const NAME_CHARACTERS = 40;

/** The wallets of this browser. Without one: links that open this page inside a wallet's app, or on a computer a QR code for a phone. */
export function WalletChoice({ onConnect }: { onConnect(connection: Connection): void }) {
  const wallets = useBrowserWallets();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  if (wallets === null) return <Loading label="wallets" lines={2} />;
  if (wallets.length === 0) return <WalletApps />;
  const choose = async ({ info: { name }, provider }: EIP6963ProviderDetail) => {
    setBusy(true);
    setFailure(null);
    try {
      // mipd types the provider after viem's own.
      onConnect(await connectWallet(provider as EIP1193Provider, name));
    } catch (error) {
      setFailure(describeFailure(error));
      setBusy(false);
    }
  };
  return (
    <>
      <h2 className={classes.question}>Pay with</h2>
      <ul className={classes.wallets}>
        {wallets.map((wallet) => (
          <li key={wallet.info.uuid}>
            <Button className={classes.wallet} disabled={isBusy} onClick={() => void choose(wallet)}>
              <img src={wallet.info.icon.trim()} alt="" width={20} height={20} />
              {cleanText(wallet.info.name, NAME_CHARACTERS)}
            </Button>
          </li>
        ))}
      </ul>
      {failure !== null && <FailureNotice failure={failure} />}
    </>
  );
}

/** A QR code is shown only on a computer: the camera of a phone can't read the phone's own screen. */
const IS_COMPUTER = "(pointer: fine)";

function WalletApps() {
  if (matchMedia(IS_COMPUTER).matches) return <PhoneCode />;
  return (
    <Notice tone="neutral" title="This browser has no wallet">
      <p>Open this page inside the app of your wallet, where you can pay:</p>
      <ul className={classes.wallets}>
        {walletApps.map(({ name, open }) => (
          <li key={name}>
            <a className={classes.app} href={open(location.href)} target="_top" rel="noreferrer">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function PhoneCode() {
  return (
    <Notice tone="neutral" title="This browser has no wallet">
      <p>Pay with your phone: read this code with its camera, and go on there.</p>
      <QrCode text={location.href} label="QR code of this checkout" />
      <p>Or install the extension of a wallet here, then load this page again.</p>
    </Notice>
  );
}
