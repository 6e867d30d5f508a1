import type { ComponentType } from "react";
import { Loading } from "../states/Loading";
import { type LazyPart, lazyPart } from "../states/lazyPart";

/**
 * A component that uses wallet hooks, loaded with the wallet code when it is first shown: pages that only read never load it.
 *
 * @example
 * const SubscribePanel = lazyWallet("the wallet", () => import("./SubscribePanel").then((module) => module.SubscribePanel));
 *
 * @param Placeholder shown until then; as high as the component, so that what follows stays where it is
 */
export function lazyWallet<Props extends object>(
  label: string,
  load: () => Promise<ComponentType<Props>>,
  Placeholder: ComponentType<Props> = () => <Loading label={label} lines={2} />,
): LazyPart<Props> {
  const loadBoth = async () => {
    const [{ WalletArea }, Inner] = await Promise.all([import("./WalletArea"), load()]);
    return (props: Props) => (
      <WalletArea>
        <Inner {...props} />
      </WalletArea>
    );
  };
  return lazyPart(label, loadBoth, Placeholder);
}
