import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { Address } from "viem";
import { isHexOf } from "../../format/isHexOf";
import { NotHex } from "../../states/NotHex";
import { AddressLabel } from "../../ui/AddressLabel";
import { PageHeader } from "../../ui/PageHeader";
import { Columns, Stack } from "../../ui/Stack";
import { readTab, Tabs } from "../../ui/Tabs";
import { AtRiskCard } from "./AtRiskCard";
import { BusinessCard } from "./BusinessCard";
import { CreatedCard } from "./CreatedCard";
import { IncomeCard } from "./IncomeCard";
import { LatestPaymentsCard } from "./LatestPaymentsCard";
import { OutlookCard } from "./OutlookCard";
import { ProfileCard } from "./ProfileCard";

const tabs = [
  ["business", "Business"],
  ["income", "Income"],
  ["subscriptions", "Subscriptions"],
  ["at-risk", "At risk"],
  ["profile", "Profile"],
] as const;

/** One account as a provider: what recurs and what it earns, its subscriptions, who is at risk, its profile. Each tab is at most one expensive request. */
export function ProviderPage() {
  const { address } = useParams({ from: "/providers/$address" });
  if (!isHexOf(20, address)) return <NotHex title="Provider" text={address} kind="an address" />;
  // Each has its own page: what was typed, chosen or confirmed for another one must not be shown here.
  return <Provider key={address} address={address} />;
}

function Provider({ address }: { address: Address }) {
  const { tab: wanted } = useSearch({ from: "/providers/$address" });
  const tab = readTab(tabs, wanted);
  return (
    <Stack>
      <PageHeader
        title="Provider"
        lead={<AddressLabel value={address} kind="address" />}
        aside={
          <Link to="/accounts/$address" params={{ address }}>
            What it pays
          </Link>
        }
      />
      <Tabs label="Parts of this provider" tabs={tabs} current={tab} />
      {tab === "business" && (
        <>
          <BusinessCard address={address} />
          <Columns>
            <OutlookCard address={address} />
            <LatestPaymentsCard address={address} />
          </Columns>
        </>
      )}
      {tab === "income" && <IncomeCard address={address} />}
      {tab === "subscriptions" && <CreatedCard address={address} />}
      {tab === "at-risk" && <AtRiskCard address={address} />}
      {tab === "profile" && <ProfileCard address={address} />}
    </Stack>
  );
}
