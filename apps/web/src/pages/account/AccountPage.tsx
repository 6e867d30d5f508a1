import { Link, useParams, useSearch } from "@tanstack/react-router";
import { AddressLabel } from "../../ui/AddressLabel";
import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { readTab, Tabs } from "../../ui/Tabs";
import { ActivityCard } from "./ActivityCard";
import { PaymentsCard } from "./PaymentsCard";
import { SpendingCard } from "./SpendingCard";
import { StatementCard } from "./StatementCard";

const tabs = [
  ["payments", "Payments"],
  ["activity", "Activity"],
  ["spending", "Spending"],
  ["statement", "Statement"],
] as const;

/** One account as a subscriber: what it pays and when, what will fail, and what it has paid. Each tab is one expensive request. */
export function AccountPage() {
  const { address } = useParams({ from: "/accounts/$address" });
  const { tab: wanted } = useSearch({ from: "/accounts/$address" });
  const tab = readTab(tabs, wanted);
  // Each account has its own page: what was chosen for another one must not be shown here.
  return (
    <Stack key={address}>
      <PageHeader
        title="Account"
        lead={<AddressLabel value={address} kind="address" />}
        aside={
          <Link to="/providers/$address" params={{ address }}>
            What it earns
          </Link>
        }
      />
      <Tabs label="Parts of this account" tabs={tabs} current={tab} />
      {tab === "payments" && <PaymentsCard address={address} />}
      {tab === "activity" && <ActivityCard address={address} />}
      {tab === "spending" && <SpendingCard address={address} />}
      {tab === "statement" && <StatementCard address={address} />}
    </Stack>
  );
}
