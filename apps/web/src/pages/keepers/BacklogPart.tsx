import { useReadiness } from "@dueday/sdk/react";
import { Answer } from "../../states/Answer";
import { Stack } from "../../ui/Stack";
import { ForecastCard } from "./ForecastCard";
import { OpenCard } from "./OpenCard";
import { PlanCard } from "./PlanCard";
import { PlanNotices } from "./PlanNotices";
import { SettledCard } from "./SettledCard";

/** As high as a window: what follows comes into view only where it stays. */
const PLAN_LINES = 30;

/** What is due now, what remit() would do about it, what comes next, and what was settled last. */
export function BacklogPart() {
  const readiness = useReadiness();
  return (
    <>
      <Answer query={readiness} label="the plan" lines={PLAN_LINES}>
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
