import { Link } from "@tanstack/react-router";
import { amountOrder } from "../../format/formatAmount";
import { dateOfDay, formatDate } from "../../format/formatDate";
import { formatNextDue } from "../../format/formatNextDue";
import { ListTable } from "../../lists/ListTable";
import { usePlanNames } from "../../live/usePlanNames";
import { Empty } from "../../states/Empty";
import type { Column } from "../../tables/DataTable";
import { Amount } from "../../ui/Amount";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { CoverageBadge, describeCoverage, describeHindrance } from "../../ui/CoverageBadge";
import { PlanLabel } from "../../ui/PlanLabel";
import { SellerLabel } from "../../ui/SellerLabel";
import { type AsOf, SourceLink } from "../../ui/SourceLink";
import { cleanText } from "../../ui/UntrustedText";
import type { Health, PaidPlan } from "./health";
import classes from "./My.module.css";

type PlanActions = { onLeave(plan: PaidPlan): void; onChange(plan: PaidPlan): void };

export type PlansCardProps = PlanActions & { health: Health };

/** Every plan that the account pays, the next charge first. */
export function PlansCard({ health, ...actions }: PlansCardProps) {
  const { plans, asOf } = health;
  const names = usePlanNames(plans.map(({ id }) => id));
  return (
    <Card title="Plans" footer={<SourceLink asOf={asOf} />} flush>
      {plans.length === 0 ? (
        <Empty title="This account pays nothing">
          What it subscribes to is listed here. What it has paid before is in{" "}
          <Link to="/accounts/$address" params={{ address: health.account }}>
            its payments
          </Link>
          .
        </Empty>
      ) : (
        <ListTable
          fileName="what-i-pay"
          label="Plans of this account"
          columns={columnsOf(asOf, names, actions)}
          rows={plans.toSorted((a, b) => (a.nextDueDate ?? "9999").localeCompare(b.nextDueDate ?? "9999"))}
          rowKey={({ id }) => id}
        />
      )}
    </Card>
  );
}

function columnsOf(
  asOf: AsOf,
  names: ReturnType<typeof usePlanNames>,
  { onLeave, onChange }: PlanActions,
): readonly Column<PaidPlan>[] {
  return [
    {
      key: "plan",
      header: "Plan",
      values: { Plan: ({ name }) => cleanText(name), Subscription: ({ id }) => id },
      cell: ({ id, name }) => <PlanLabel id={id} name={name} />,
    },
    {
      key: "seller",
      header: "Seller",
      values: { Seller: ({ id }) => cleanText(names.get(id)?.seller.name ?? names.get(id)?.provider ?? "") },
      cell: ({ id }) => {
        const named = names.get(id);
        return named === undefined ? "–" : <SellerLabel address={named.provider} seller={named.seller} />;
      },
    },
    {
      key: "amount",
      header: "Amount",
      align: "end",
      values: {
        Amount: ({ amount }) => amount,
        Token: ({ tokenSymbol }) => cleanText(tokenSymbol),
        Period: ({ frequencyLabel }) => frequencyLabel,
      },
      order: ({ amount }) => amountOrder(amount),
      cell: ({ amount, tokenSymbol }) => <Amount amount={amount} symbol={tokenSymbol} />,
    },
    {
      key: "next",
      header: "Next charge",
      values: { "Next charge": ({ nextDueDate }) => nextDueDate ?? "none" },
      cell: ({ nextDueDate }) => (nextDueDate === null ? "none" : formatNextDue(nextDueDate, asOf)),
    },
    {
      key: "covered",
      header: "Covered until",
      values: { "Covered until": (plan) => coveredUntil(plan) ?? "" },
      cell: (plan) => describeCovered(plan),
    },
    {
      key: "outlook",
      header: "Outlook",
      values: {
        Outlook: (plan) => describeHindrance(plan.hindrance) ?? describeCoverage(plan),
        "Fails on": ({ failsOn }) => failsOn ?? "",
      },
      cell: (plan) => {
        const words = describeHindrance(plan.hindrance);
        return words === null ? <CoverageBadge {...plan} /> : <Badge tone="warn">{words}</Badge>;
      },
    },
    {
      key: "actions",
      header: "Actions",
      actions: true,
      cell: (plan) => (
        <span className={classes.rowButtons}>
          <Button aria-label={`Change ${cleanText(plan.name)}`} onClick={() => onChange(plan)}>
            Change
          </Button>
          <Button aria-label={`Cancel ${cleanText(plan.name)}`} onClick={() => onLeave(plan)}>
            Cancel
          </Button>
        </span>
      ),
    },
  ];
}

const DAY_MS = 86_400_000;

/** The last day before the first charge that fails, YYYY-MM-DD; null where none is foreseen. */
function coveredUntil({ failsOn }: PaidPlan): string | null {
  return failsOn === null ? null : dateOfDay(Date.parse(failsOn) / DAY_MS - 1);
}

function describeCovered(plan: PaidPlan): string {
  const date = coveredUntil(plan);
  if (date !== null) return plan.coveredPayments === 0 ? "not covered" : formatDate(date);
  return plan.nextDueDate === null ? "–" : "no failure foreseen";
}
