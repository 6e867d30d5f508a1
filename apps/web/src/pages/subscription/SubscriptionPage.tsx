import { useSubscription } from "@dueday/sdk/react";
import { useParams, useSearch } from "@tanstack/react-router";
import type { Hex } from "viem";
import { isHexOf } from "../../format/isHexOf";
import { usePlanNames } from "../../live/usePlanNames";
import { Answer } from "../../states/Answer";
import { NotHex } from "../../states/NotHex";
import { AddressLabel } from "../../ui/AddressLabel";
import { PageHeader } from "../../ui/PageHeader";
import { SellerLabel } from "../../ui/SellerLabel";
import { Stack } from "../../ui/Stack";
import { readTab, Tabs, tabTitle } from "../../ui/Tabs";
import { cleanText } from "../../ui/UntrustedText";
import { lazyWallet } from "../../wallet/lazyWallet";
import { useWasConnected } from "../../wallet/wasConnected";
import { HistoryCard } from "./HistoryCard";
import { OverviewLoading } from "./OverviewLoading";
import { PublicOverview } from "./PublicOverview";
import { SubscribersCard } from "./SubscribersCard";
import type { TermsCardProps } from "./TermsCard";

const tabs = [
  ["overview", "Overview"],
  ["subscribers", "Subscribers"],
  ["history", "History"],
] as const;

const NAME_CHARACTERS = 60;

const WalletOverview = lazyWallet(
  "the subscription",
  () => import("./WalletOverview").then((module) => module.WalletOverview),
  OverviewLoading,
);

/** A wallet that is or was connected may be the provider's, so the public view is not shown first. Without such a wallet, no wallet code is loaded. */
function Overview(props: TermsCardProps) {
  return useWasConnected() ? <WalletOverview {...props} /> : <PublicOverview {...props} />;
}

/** One subscription: its terms, who pays it, what happened, and what a wallet can do with it. Each tab is one expensive request. */
export function SubscriptionPage() {
  const { id } = useParams({ from: "/subscriptions/$id" });
  if (!isHexOf(32, id)) return <NotHex title="Subscription" text={id} kind="the id of a subscription" />;
  // The key gives each subscription its own state: what was typed, chosen or confirmed for another one must not be shown here.
  return <Subscription key={id} id={id} />;
}

function Subscription({ id }: { id: Hex }) {
  const { tab: wanted } = useSearch({ from: "/subscriptions/$id" });
  const tab = readTab(tabs, wanted);
  const query = useSubscription({ id });
  const known: Hex = `0x${id.slice(2).toLowerCase()}`;
  const plan = usePlanNames([known]).get(known);
  return (
    <Stack>
      <PageHeader
        title={cleanText(plan?.planName ?? "", NAME_CHARACTERS) || "Subscription"}
        part={tabTitle(tabs, tab)}
        lead={
          <>
            {plan !== undefined && <SellerLabel address={plan.provider} seller={plan.seller} />}{" "}
            <AddressLabel value={id} kind="id" />
          </>
        }
      />
      <Answer query={query} label="the subscription" lines={5}>
        {({ subscription, asOf }) => (
          <>
            <Tabs label="Parts of this subscription" tabs={tabs} current={tab} />
            {tab === "overview" && <Overview subscription={subscription} asOf={asOf} />}
            {tab === "subscribers" && <SubscribersCard subscription={subscription} />}
            {tab === "history" && <HistoryCard id={id} />}
          </>
        )}
      </Answer>
    </Stack>
  );
}
