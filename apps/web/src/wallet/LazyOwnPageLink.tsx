import { Button } from "../ui/Button";
import { lazyWallet } from "./lazyWallet";
import type { OwnPageLinkProps } from "./OwnPageLink";

/** `OwnPageLink` for a page where no other part loads the wallet code. Until the code is loaded, its button is disabled. */
export const LazyOwnPageLink = lazyWallet<OwnPageLinkProps>(
  "your wallet",
  () => import("./OwnPageLink").then((module) => module.OwnPageLink),
  () => <Button disabled>Connect wallet</Button>,
);
