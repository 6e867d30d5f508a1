import { readStored } from "../config/stored";

/** Whether a wallet was connected in this browser, by wagmi's own mark: without loading the code of wallets. */
export function wasConnected(): boolean {
  return readStored("wagmi.recentConnectorId") !== null;
}
