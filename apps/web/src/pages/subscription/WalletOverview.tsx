import { useConnection } from "wagmi";
import { OverviewLoading } from "./OverviewLoading";
import { OwnerOverview } from "./OwnerOverview";
import { PublicOverview } from "./PublicOverview";
import type { TermsCardProps } from "./TermsCard";

/** The overview of a subscription for the connected wallet: that of its provider, or that of everybody else. */
export function WalletOverview({ subscription, asOf }: TermsCardProps) {
  const { address, status } = useConnection();
  if (address === undefined && status === "reconnecting") return <OverviewLoading />;
  const Overview = address === subscription.provider ? OwnerOverview : PublicOverview;
  return <Overview subscription={subscription} asOf={asOf} />;
}
