import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { Address } from "viem";
import { isHexOf } from "../../format/isHexOf";
import { LabelButton } from "../../labels/LabelButton";
import { NotHex } from "../../states/NotHex";
import { AddressLabel } from "../../ui/AddressLabel";
import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { readTab, Tabs, tabTitle } from "../../ui/Tabs";
import { ActivityCard } from "./ActivityCard";
import { ComingPart } from "./ComingPart";
import { PaymentsCard } from "./PaymentsCard";
import { SpendingCard } from "./SpendingCard";
import { StatementCard } from "./StatementCard";

const tabs = [
  ["payments", "Payments"],
  ["coming", "Next 30 days"],
  ["activity", "Activity"],
  ["spending", "Spending"],
  ["statement", "Statement"],
] as const;

/** One account as a subscriber: what it pays and when, what will fail, and what it has paid. Opening a tab costs at most one expensive request. */
export function AccountPage() {
  const { address } = useParams({ from: "/accounts/$address" });
  if (!isHexOf(20, address)) return <NotHex title="Account" text={address} kind="an address" />;
  // The key gives each account its own state: texts, choices and confirmations of another one must not be shown here.
  return <Account key={address} address={address} />;
}

function Account({ address }: { address: Address }) {
  const { tab: wanted } = useSearch({ from: "/accounts/$address" });
  const tab = readTab(tabs, wanted);
  return (
    <Stack>
      <PageHeader
        title="Account"
        part={tabTitle(tabs, tab)}
        lead={<AddressLabel value={address} kind="address" />}
        aside={
          <>
            <LabelButton address={address} />
            <Link to="/my" search={(before) => ({ ...before, account: address, tab: undefined })}>
              What will fail, and repair
            </Link>
            <Link to="/providers/$address" params={{ address }}>
              What it earns
            </Link>
          </>
        }
      />
      <Tabs label="Parts of this account" tabs={tabs} current={tab} />
      {tab === "payments" && <PaymentsCard address={address} />}
      {tab === "coming" && <ComingPart address={address} />}
      {tab === "activity" && <ActivityCard address={address} />}
      {tab === "spending" && <SpendingCard address={address} />}
      {tab === "statement" && <StatementCard address={address} />}
    </Stack>
  );
}
