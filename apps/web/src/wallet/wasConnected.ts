import { useSyncExternalStore } from "react";
import { isWalletKnown } from "../config/knownWallet";

const listeners = new Set<() => void>();
let isConnectedHere = false;

/** Whether a wallet was connected in this browser, without loading the code of wallets. */
export function wasConnected(): boolean {
  return isConnectedHere || isWalletKnown();
}

/** `wasConnected` as a hook: the component is rendered again when any part of the page connects a wallet. */
export function useWasConnected(): boolean {
  return useSyncExternalStore(subscribe, wasConnected);
}

/** Called when a wallet is connected. */
export function noteConnection(): void {
  isConnectedHere = true;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
