import { createContext, type ReactNode, use } from "react";
import type { AppChain, AppConfig } from "./appConfig";

export type Installation = { config: AppConfig; chain: AppChain };

const Context = createContext<Installation | null>(null);

/** Provides the pages below with the settings of this installation and the chain that they show. */
export function ChainContext({ children, ...installation }: Installation & { children: ReactNode }) {
  return <Context value={installation}>{children}</Context>;
}

/** @throws Error outside of a ChainContext */
export function useInstallation(): Installation {
  const installation = use(Context);
  if (installation === null) throw new Error("wrap the component in a ChainContext");
  return installation;
}

export type ExplorerPath = `${"block" | "tx" | "address"}/${string}`;

/** The address of something in the chain's block explorer; null where the operator names none. */
export function useExplorerUrl(path: ExplorerPath | null): string | null {
  const { explorerUrl } = useInstallation().chain;
  return explorerUrl === null || path === null ? null : `${explorerUrl}/${path}`;
}
