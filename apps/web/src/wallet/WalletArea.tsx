import type { ReactNode } from "react";
import { WagmiContext } from "wagmi";
import { useInstallation } from "../config/ChainContext";
import { walletConfig } from "./walletConfig";

/** Enables the hooks of wagmi and the actions of `@dueday/sdk/react` in the components below. */
export function WalletArea({ children }: { children: ReactNode }) {
  const { config } = useInstallation();
  return <WagmiContext value={walletConfig(config)}>{children}</WagmiContext>;
}
