import { useReadiness } from "@dueday/sdk/react";
import { FilterCard } from "../../filter/FilterCard";
import { isFiltered } from "../../filter/paymentFilter";
import { useFilter } from "../../filter/useFilter";
import { ComingCard } from "../../lists/ComingCard";
import { Answer } from "../../states/Answer";
import { Stack } from "../../ui/Stack";
import { ForecastCard } from "./ForecastCard";
import { OpenCard } from "./OpenCard";
import { PlanCard } from "./PlanCard";
import { PlanNotices } from "./PlanNotices";
import { SettledCard } from "./SettledCard";

/** About a window's height, so that what follows does not move after it has come into view. */
const PLAN_LINES = 30;

/** What is due now, what remit() would do about it, what comes next (of all or of some accounts, providers or plans), and what was settled last. */
export function BacklogPart() {
  const readiness = useReadiness();
  const { filter, onChange } = useFilter();
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
      <FilterCard filter={filter} onChange={onChange} />
      {isFiltered(filter) ? <ComingCard filter={filter} /> : <ForecastCard />}
      <SettledCard />
    </>
  );
}
