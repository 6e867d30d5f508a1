import { Loading } from "../states/Loading";
import { Notice } from "../states/Notice";
import { useAreWalletsKnown } from "./browserWallets";

/** The browser has no wallet. Everything but signing works without one. */
export function NoWallet() {
  if (!useAreWalletsKnown()) return <Loading label="wallets" lines={2} />;
  return (
    <Notice tone="neutral" title="No wallet found">
      Signing needs a browser wallet, such as MetaMask, Rabby or Coinbase Wallet. Install one and load the page again.
      Everything else works without it.
    </Notice>
  );
}
