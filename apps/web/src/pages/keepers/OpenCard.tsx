import { countOf } from "../../format/describeDays";
import { formatInteger } from "../../format/formatAmount";
import { dateOfDay, formatDate } from "../../format/formatDate";
import { Empty } from "../../states/Empty";
import { Amounts, Ether } from "../../ui/Amount";
import { Card } from "../../ui/Card";
import { Figure, Figures } from "../../ui/Figure";
import { SourceLink } from "../../ui/SourceLink";
import type { Readiness } from "./readiness";

/** What is due and not settled. */
export function OpenCard({ plan }: { plan: Readiness }) {
  const { totals, asOf, nextUncheckedDay, currentDay } = plan;
  const days = currentDay - nextUncheckedDay + 1;
  return (
    <Card title="Open now" footer={<SourceLink asOf={asOf} />}>
      {totals.payments === 0 && plan.blockedBy === undefined ? (
        <Empty title="Nothing is due">
          Every day up to {formatDate(dateOfDay(nextUncheckedDay - 1), "weekday")} is settled. The next due days are
          below.
        </Empty>
      ) : (
        <Figures>
          <Figure label="Payments" note={`of ${countOf(plan.totalSubscriptions, "subscription")}`}>
            {formatInteger(totals.payments)}
          </Figure>
          <Figure label="Will fail" tone={totals.failures > 0 ? "bad" : "neutral"} note="allowance or balance too low">
            {formatInteger(totals.failures)}
          </Figure>
          {totals.byToken !== undefined && (
            <Figure label="Will be paid" note="failing payments left out">
              <Amounts amounts={totals.byToken} />
            </Figure>
          )}
          <Figure label="Open since" note={countOf(Math.max(0, days), "day")}>
            {formatDate(dateOfDay(nextUncheckedDay), "day")}
          </Figure>
          <Figure label="Transactions" note={`up to ${countOf(plan.maxRemits, "payment")} each`}>
            {formatInteger(totals.transactions)}
          </Figure>
          <Figure label="Gas to settle all" note="at the current gas price">
            <Ether wei={totals.estimatedCostWei} />
          </Figure>
          <Figure label="Fees for keepers">
            <Amounts amounts={totals.callerFees} />
          </Figure>
        </Figures>
      )}
    </Card>
  );
}
