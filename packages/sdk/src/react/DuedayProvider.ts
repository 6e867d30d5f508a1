import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react";
import type { Address } from "viem";
import type { Dueday } from "../createDueday";

/** What the hooks of this package work with. */
export type DuedayContext = {
  dueday: Dueday;
  /** The protocol's contract, for actions of wallets. Default: that of the wallet's chain, where it is built in. */
  contract?: Address | undefined;
};

export type DuedayProviderProps = DuedayContext & { children?: ReactNode };

const Context = createContext<DuedayContext | null>(null);

/**
 * Gives the hooks in the components inside it their client. It needs a QueryClientProvider of TanStack Query above it, and a WagmiProvider where actions of
 * a wallet are used.
 *
 * @example
 * const dueday = createDueday({ baseUrl: "https://api.example.com" });
 * <QueryClientProvider client={queryClient}>
 *   <DuedayProvider dueday={dueday}><App /></DuedayProvider>
 * </QueryClientProvider>
 */
export function DuedayProvider({ dueday, contract, children }: DuedayProviderProps): ReactElement {
  return createElement(Context.Provider, { value: { dueday, contract } }, children);
}

/** The client and the contract of the DuedayProvider above. @throws Error without one */
export function useDueday(): DuedayContext {
  const context = useContext(Context);
  if (context === null) throw new Error("wrap the component in a DuedayProvider");
  return context;
}
