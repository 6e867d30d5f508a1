import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import { getAddress } from "viem";
import type { Connection } from "./connectWallet";

/** The connected wallet with its present account and chain. Null before it connects, and after it disconnects. */
export function useConnection(): [Connection | null, Dispatch<SetStateAction<Connection | null>>] {
  const [connection, setConnection] = useState<Connection | null>(null);
  const provider = connection?.provider ?? null;
  useEffect(() => {
    if (provider === null) return;
    const onAccounts = ([account]: readonly string[]) =>
      setConnection((before) =>
        before === null || account === undefined ? null : { ...before, account: getAddress(account) },
      );
    const onChain = (chainId: string) => setConnection((before) => before && { ...before, chainId: Number(chainId) });
    provider.on("accountsChanged", onAccounts);
    provider.on("chainChanged", onChain);
    return () => {
      provider.removeListener("accountsChanged", onAccounts);
      provider.removeListener("chainChanged", onChain);
    };
  }, [provider]);
  return [connection, setConnection];
}
