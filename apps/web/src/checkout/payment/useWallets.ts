import { createStore, type EIP6963ProviderDetail } from "mipd";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { EIP1193Provider } from "viem";

/** A wallet of this browser. */
export type BrowserWallet = { key: string; name: string; icon: string | null; provider: EIP1193Provider };

/** Wallets announce themselves within some milliseconds of being asked. */
const ANNOUNCED_WITHIN_MS = 300;

const store = createStore();

/** The wallets that announce themselves (EIP-6963); the wallet at `window.ethereum` only where none does. Null while they are asked. */
export function useWallets(): readonly BrowserWallet[] | null {
  const announced = useSyncExternalStore(store.subscribe, store.getProviders);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), ANNOUNCED_WITHIN_MS);
    return () => clearTimeout(timer);
  }, []);
  if (announced.length > 0) return announced.map(toWallet);
  return isOver ? oldWallets() : null;
}

function toWallet({ info, provider }: EIP6963ProviderDetail): BrowserWallet {
  // mipd types the provider after viem's own.
  return { key: info.uuid, name: info.name, icon: info.icon, provider: provider as EIP1193Provider };
}

function oldWallets(): BrowserWallet[] {
  const provider: unknown = Reflect.get(window, "ethereum");
  if (typeof provider !== "object" || provider === null) return [];
  // By convention an EIP-1193 provider.
  return [{ key: "window", name: "Browser wallet", icon: null, provider: provider as EIP1193Provider }];
}
