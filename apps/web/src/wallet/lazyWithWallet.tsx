import type { ComponentType } from "react";
import { lazyWallet } from "./lazyWallet";
import { useWasConnected } from "./wasConnected";

/**
 * `lazyWallet` for a component that shows nothing without a wallet: its code is loaded only in a browser in which a wallet was connected.
 *
 * @example
 * const RenewCard = lazyWithWallet("your approvals", () => import("./RenewCard").then((module) => module.RenewCard));
 */
export function lazyWithWallet<Props extends object>(
  label: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Part = lazyWallet(label, load);
  return (props) => (useWasConnected() ? <Part {...props} /> : null);
}
