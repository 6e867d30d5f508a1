import { Button } from "../ui/Button";
import { lazyWallet } from "./lazyWallet";
import type { OwnPageLinkProps } from "./OwnPageLink";

/** `OwnPageLink` where no other part of the page loads the code of wallets. Until it is there its button can't be pressed. */
export const LazyOwnPageLink = lazyWallet<OwnPageLinkProps>(
  "your wallet",
  () => import("./OwnPageLink").then((module) => module.OwnPageLink),
  () => <Button disabled>Connect wallet</Button>,
);
