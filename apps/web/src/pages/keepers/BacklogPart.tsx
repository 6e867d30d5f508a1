import { useReadiness } from "@dueday/sdk/react";
import { Answer } from "../../states/Answer";
import { Stack } from "../../ui/Stack";
import { ForecastCard } from "./ForecastCard";
import { OpenCard } from "./OpenCard";
import { PlanCard } from "./PlanCard";
import { PlanNotices } from "./PlanNotices";
import { SettledCard } from "./SettledCard";

/** What is due now, what remit() would do about it, what comes next, and what was settled last. */
export function BacklogPart() {
  const readiness = useReadiness();
  return (
    <>
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
    </>
  );
}
