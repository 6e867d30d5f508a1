import { readStored, writeStored } from "./stored";

const KEY = "dueday-wallet-known";
/** wagmi's own mark, which its pages leave. */
const WAGMI_KEY = "wagmi.recentConnectorId";

/** Whether a wallet was connected in this browser, on a page of the app or in a checkout: without loading the code of wallets. */
export function isWalletKnown(): boolean {
  return readStored(KEY) !== null || readStored(WAGMI_KEY) !== null;
}

/** Remembers it where wagmi is not used: a wallet that has allowed this origin then connects by itself on the pages of the app. */
export function noteKnownWallet(): void {
  writeStored(KEY, "yes");
}
