import { type ComponentType, lazy, Suspense } from "react";
import { Loading } from "../states/Loading";

const WalletArea = lazy(() => import("./WalletArea").then((module) => ({ default: module.WalletArea })));

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
) {
  const Inner = lazy(async () => ({ default: await load() }));
  return function LazyWallet(props: Props) {
    return (
      <Suspense fallback={<Placeholder {...props} />}>
        <WalletArea>
          <Inner {...props} />
        </WalletArea>
      </Suspense>
    );
  };
}
