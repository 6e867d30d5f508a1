import { announceProvider, createStore, type EIP6963ProviderDetail } from "mipd";
import { useEffect, useState, useSyncExternalStore } from "react";

/** Wallets announce themselves within some milliseconds of being asked. */
const ANNOUNCED_WITHIN_MS = 300;

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20' fill='none' stroke='gray' stroke-width='2'><rect x='2' y='4' width='16' height='12' rx='2'/><path d='M12 10h6'/></svg>";

/** The `rdns` of the wallet that this page announces. */
const OLD_WALLET = "window.ethereum";

const store = createStore();
let areKnown = false;

/**
 * Resolves when every wallet of this browser has had time to announce itself (EIP-6963). If none has, this page announces the wallet at
 * `window.ethereum`, so that checkout and wagmi find it like any other; `true` means that there is such a wallet.
 */
export const oldWalletAnnounced = new Promise<boolean>((resolve) => {
  setTimeout(() => {
    const isNeeded = store.getProviders().length === 0;
    areKnown = true;
    resolve(isNeeded && announceOldWallet());
  }, ANNOUNCED_WITHIN_MS);
});

function announceOldWallet(): boolean {
  const provider: unknown = Reflect.get(globalThis, "ethereum");
  if (typeof provider !== "object" || provider === null) return false;
  announceProvider({
    info: { uuid: OLD_WALLET, name: "Browser wallet", icon: ICON, rdns: OLD_WALLET },
    // By convention an EIP-1193 provider.
    provider: provider as EIP6963ProviderDetail["provider"],
  });
  return true;
}

/** Whether all wallets have had that time: a browser that has shown none by then has none. */
export function useAreWalletsKnown(): boolean {
  const [isOver, setOver] = useState(areKnown);
  useEffect(() => void oldWalletAnnounced.then(() => setOver(true)), []);
  return isOver;
}

/**
 * The wallets to offer: without the one that this page has announced, where there is another. Otherwise a wallet that announces itself late
 * would be offered twice.
 *
 * @param rdnsOf a wallet's name in reverse domain form (EIP-6963)
 */
export function withoutOldWallet<Wallet>(
  wallets: readonly Wallet[],
  rdnsOf: (wallet: Wallet) => string,
): readonly Wallet[] {
  const others = wallets.filter((wallet) => rdnsOf(wallet) !== OLD_WALLET);
  return others.length > 0 ? others : wallets;
}

/** The wallets of this browser. Null while it is not known whether there is one. */
export function useBrowserWallets(): readonly EIP6963ProviderDetail[] | null {
  const wallets = useSyncExternalStore(store.subscribe, store.getProviders);
  if (!useAreWalletsKnown() && wallets.length === 0) return null;
  return withoutOldWallet(wallets, ({ info }) => info.rdns);
}
