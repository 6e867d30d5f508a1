import { useReadiness } from "@dueday/sdk/react";
import { useSearch } from "@tanstack/react-router";
import { countOf, someOf } from "../../format/describeDays";
import { dateOfDay, formatDate } from "../../format/formatDate";
import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { readTab, Tabs, tabTitle } from "../../ui/Tabs";
import { BacklogPart } from "./BacklogPart";
import type { Readiness } from "./readiness";
import { SettlePart } from "./SettlePart";

const tabs = [
  ["backlog", "Backlog"],
  ["settle", "Settle"],
] as const;

/** What waits for a keeper, and whether settling it is worth it. Each tab is one expensive request. */
export function KeepersPage() {
  const { tab: wanted } = useSearch({ from: "/keepers" });
  const tab = readTab(tabs, wanted);
  const { data } = useReadiness();
  return (
    <Stack>
      <PageHeader
        title="Keepers"
        part={tabTitle(tabs, tab)}
        lead={data === undefined ? "What waits for a keeper, and whether settling it is worth it." : leadOf(data)}
      />
      <Tabs label="Parts of this page" tabs={tabs} current={tab} />
      {tab === "backlog" && <BacklogPart />}
      {tab === "settle" && <SettlePart />}
    </Stack>
  );
}

function leadOf({ totals: { payments, failures }, nextUncheckedDay, reason }: Readiness): string {
  const since = formatDate(dateOfDay(nextUncheckedDay), "weekday");
  if (reason === "blocked") return "remit() is blocked, so nothing can be settled until the cause below is gone.";
  if (payments === 0) return "Everything that is due is settled.";
  const failing = payments === 1 ? oneOutcome(failures) : `${someOf(failures)} will fail`;
  return `Waiting for a keeper: ${countOf(payments, "payment")} due since ${since}, ${failing}.`;
}

function oneOutcome(failures: number): string {
  return failures === 0 ? "which can be paid" : "which will fail";
}
