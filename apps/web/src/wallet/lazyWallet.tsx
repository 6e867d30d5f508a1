import { type ComponentType, lazy, Suspense } from "react";
import { Loading } from "../states/Loading";

const WalletArea = lazy(() => import("./WalletArea").then((module) => ({ default: module.WalletArea })));

/**
 * A component that uses wallet hooks, loaded with the wallet code when it is first shown: pages that only read never load it.
 *
 * @example
 * const SubscribePanel = lazyWallet("the wallet", () => import("./SubscribePanel").then((module) => module.SubscribePanel));
 */
export function lazyWallet<Props extends object>(label: string, load: () => Promise<ComponentType<Props>>) {
  const Inner = lazy(async () => ({ default: await load() }));
  return function LazyWallet(props: Props) {
    return (
      <Suspense fallback={<Loading label={label} lines={2} />}>
        <WalletArea>
          <Inner {...props} />
        </WalletArea>
      </Suspense>
    );
  };
}
