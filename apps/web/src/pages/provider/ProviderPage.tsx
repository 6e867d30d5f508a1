import { useDueday } from "@dueday/sdk/react";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { Address } from "viem";
import { isHexOf } from "../../format/isHexOf";
import { LabelButton } from "../../labels/LabelButton";
import { QuarterFiles } from "../../lists/QuarterFiles";
import { useSellerName } from "../../live/useSellerName";
import { NotHex } from "../../states/NotHex";
import { AddressLabel } from "../../ui/AddressLabel";
import { PageHeader } from "../../ui/PageHeader";
import { Columns, Stack } from "../../ui/Stack";
import { readTab, Tabs, tabTitle } from "../../ui/Tabs";
import { cleanText } from "../../ui/UntrustedText";
import { VerifiedBadge } from "../../ui/VerifiedBadge";
import { AtRiskCard } from "./AtRiskCard";
import { BusinessCard } from "./BusinessCard";
import { CreatedCard } from "./CreatedCard";
import { IncomeCard } from "./IncomeCard";
import { LatestPaymentsCard } from "./LatestPaymentsCard";
import { OutlookCard } from "./OutlookCard";
import { ProfileCard } from "./ProfileCard";
import { SignedApprovals } from "./SignedApprovals";

const tabs = [
  ["business", "Business"],
  ["income", "Income"],
  ["subscriptions", "Subscriptions"],
  ["at-risk", "At risk"],
  ["profile", "Profile"],
] as const;

const NAME_CHARACTERS = 60;
/** Tabs that ask for the seller's name together with those of plans, so that the page asks for names once. */
const WITH_NAMES: ReadonlySet<string> = new Set(["subscriptions", "at-risk"]);

/** One account as a provider: what recurs and what it earns, its subscriptions, who is at risk, its profile. Each tab is at most one expensive request. */
export function ProviderPage() {
  const { address } = useParams({ from: "/providers/$address" });
  if (!isHexOf(20, address)) return <NotHex title="Provider" text={address} kind="an address" />;
  // The key gives each provider its own state: texts, choices and confirmations of another one must not be shown here.
  return <Provider key={address} address={address} />;
}

function Provider({ address }: { address: Address }) {
  const { dueday } = useDueday();
  const { tab: wanted } = useSearch({ from: "/providers/$address" });
  const tab = readTab(tabs, wanted);
  const seller = useSellerName(address, { enabled: !WITH_NAMES.has(tab) });
  return (
    <Stack>
      <PageHeader
        title={cleanText(seller?.name ?? "", NAME_CHARACTERS) || "Provider"}
        part={tabTitle(tabs, tab)}
        lead={
          <>
            {seller?.name && <VerifiedBadge isVerified={seller.verified} />}{" "}
            <AddressLabel value={address} kind="address" />
          </>
        }
        aside={
          <>
            <LabelButton address={address} />
            <Link to="/accounts/$address" params={{ address }}>
              What it pays
            </Link>
          </>
        }
      />
      <Tabs label="Parts of this provider" tabs={tabs} current={tab} />
      {tab === "business" && (
        <>
          <BusinessCard address={address} />
          <Columns>
            <OutlookCard address={address} />
            <LatestPaymentsCard address={address} />
            <QuarterFiles
              name={`payments-${address.slice(0, 10)}`}
              read={(days) => dueday.csv.listPayments({ address, ...days })}
            />
          </Columns>
        </>
      )}
      {tab === "income" && <IncomeCard address={address} />}
      {tab === "subscriptions" && <CreatedCard address={address} />}
      {tab === "at-risk" && (
        <>
          <AtRiskCard address={address} />
          <SignedApprovals address={address} />
        </>
      )}
      {tab === "profile" && <ProfileCard address={address} />}
    </Stack>
  );
}
