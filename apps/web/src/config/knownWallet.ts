import { readStored, writeStored } from "./stored";

const KEY = "dueday-wallet-known";
/** The key that wagmi itself stores on pages that use it. */
const WAGMI_KEY = "wagmi.recentConnectorId";

/** Whether a wallet was connected in this browser, on a page of the app or in a checkout. Does not load the wallet code. */
export function isWalletKnown(): boolean {
  return readStored(KEY) !== null || readStored(WAGMI_KEY) !== null;
}

/** Stores that a wallet was connected, on a page without wagmi. The wallet has allowed this origin, so it connects by itself in the app. */
export function noteKnownWallet(): void {
  writeStored(KEY, "yes");
}
