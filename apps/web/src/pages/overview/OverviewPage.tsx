import { useReadiness } from "@dueday/sdk/react";
import { countOf, someOf } from "../../format/describeDays";
import { dateOfDay, formatDate } from "../../format/formatDate";
import { Answer } from "../../states/Answer";
import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { ForecastCard } from "./ForecastCard";
import { OpenCard } from "./OpenCard";
import { PlanCard } from "./PlanCard";
import { PlanNotices } from "./PlanNotices";
import type { Readiness } from "./readiness";
import { SettledCard } from "./SettledCard";

/** What is due now, what remit() would do about it, what comes next, and what was settled last. */
export function OverviewPage() {
  const readiness = useReadiness();
  const { data } = readiness;
  return (
    <Stack>
      <PageHeader title="Overview" lead={data === undefined ? undefined : leadOf(data)} />
      <Answer query={readiness} label="the plan" lines={8}>
        {(plan) => (
          <Stack>
            <PlanNotices plan={plan} />
            <OpenCard plan={plan} />
            {plan.totals.transactions > 0 && <PlanCard plan={plan} />}
          </Stack>
        )}
      </Answer>
      <ForecastCard />
      <SettledCard />
    </Stack>
  );
}

function leadOf({ totals: { payments, failures }, nextUncheckedDay, reason }: Readiness): string {
  const since = formatDate(dateOfDay(nextUncheckedDay), "weekday");
  if (reason === "blocked") return "remit() reverts, so nothing can be settled until the cause below is gone.";
  if (payments === 0) return "Everything that is due is settled.";
  const failing = payments === 1 ? oneOutcome(failures) : `${someOf(failures)} will fail`;
  return `Waiting for a keeper: ${countOf(payments, "payment")} due since ${since}, ${failing}.`;
}

function oneOutcome(failures: number): string {
  return failures === 0 ? "which can be paid" : "which will fail";
}
