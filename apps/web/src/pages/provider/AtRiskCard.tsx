import type { Operations } from "@dueday/sdk";
import { useDueday } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import type { Address } from "viem";
import { amountOrder } from "../../format/formatAmount";
import { formatNextDue } from "../../format/formatNextDue";
import { ListTable } from "../../lists/ListTable";
import { PageControls } from "../../lists/PageControls";
import { usePages } from "../../live/usePages";
import { usePlanNames } from "../../live/usePlanNames";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Amount } from "../../ui/Amount";
import { Card } from "../../ui/Card";
import { CoverageBadge, formatRunway } from "../../ui/CoverageBadge";
import type { Column } from "../../ui/DataTable";
import { PlanLabel } from "../../ui/PlanLabel";
import { ShortHex } from "../../ui/ShortHex";
import { type AsOf, SourceLink } from "../../ui/SourceLink";
import { cleanText } from "../../ui/UntrustedText";

type Answered = Operations["listAtRisk"]["output"];
type Row = Answered["atRisk"][number];

const PAGE = 200;

/** Subscribers with a payment that will fail within one whole period of their subscription. */
export function AtRiskCard({ address }: { address: Address }) {
  const { dueday } = useDueday();
  const { query, hasNews, renew } = usePages({
    name: "listAtRisk",
    input: { address },
    read: (cursor, options) => dueday.listAtRisk({ address, first: PAGE, skip: Number(cursor ?? 0) }, options),
    next: ({ nextSkip }) => (nextSkip === undefined ? null : String(nextSkip)),
  });
  const names = usePlanNames(query.data?.pages.flatMap(({ atRisk }) => atRisk.map(({ id }) => id)) ?? []);
  return (
    <Answer query={query} label="the subscribers at risk" lines={6}>
      {({ pages }) => {
        const [first] = pages;
        const rows = pages.flatMap(({ atRisk }) => atRisk);
        const horizon = describeHorizon(first?.horizons ?? []);
        return (
          <>
            <Card
              title="At risk"
              note={`A payment that fails ends the subscription. The subscriber can renew its approval or top up its balance before. ${horizon}`}
              footer={first && <SourceLink asOf={first.asOf} />}
              flush
            >
              {first === undefined || rows.length === 0 ? (
                <Empty title="No payment fails within one period">
                  The subscribers of each subscription are on its page, with how many payments each can still make.
                </Empty>
              ) : (
                <ListTable
                  fileName="at-risk"
                  label="Subscribers at risk"
                  columns={columnsOf(first.asOf, names)}
                  rows={rows}
                  rowKey={({ id, subscriber }) => `${id} ${subscriber}`}
                />
              )}
            </Card>
            <PageControls
              query={query}
              hasNews={hasNews}
              renew={renew}
              shown={rows.length}
              count={first?.count ?? null}
            />
          </>
        );
      }}
    </Answer>
  );
}

/** How far ahead the list looks, for each frequency. */
function describeHorizon(horizons: Answered["horizons"]): string {
  const periods = horizons.map(
    ({ frequencyLabel, horizonDays }) => `${frequencyLabel.toLowerCase()} ${horizonDays} days`,
  );
  return `Listed is who fails within one whole period: ${periods.join(", ")}.`;
}

function columnsOf(asOf: AsOf, names: ReturnType<typeof usePlanNames>): readonly Column<Row>[] {
  return [
    {
      key: "subscriber",
      header: "Subscriber",
      values: { Subscriber: ({ subscriber }) => subscriber },

      cell: ({ subscriber }) => (
        <Link to="/accounts/$address" params={{ address: subscriber }}>
          <ShortHex value={subscriber} />
        </Link>
      ),
    },
    {
      key: "subscription",
      header: "Subscription",
      values: { Subscription: ({ id }) => id, Plan: ({ id }) => cleanText(names.get(id)?.planName ?? "") },
      order: ({ id }) => cleanText(names.get(id)?.planName ?? id),

      cell: ({ id }) => <PlanLabel id={id} name={names.get(id)?.planName} />,
    },
    {
      key: "amount",
      header: "Payment",
      values: { Payment: ({ amount }) => amount, Token: ({ tokenSymbol }) => cleanText(tokenSymbol) },
      order: ({ amount }) => amountOrder(amount),
      align: "end",
      cell: ({ amount, tokenSymbol }) => <Amount amount={amount} symbol={tokenSymbol} />,
    },
    {
      key: "fails",
      header: "Fails on",
      values: { "Fails on": ({ failsOn }) => failsOn ?? "" },

      cell: ({ failsOn }) => (failsOn === null ? "unknown" : formatNextDue(failsOn, asOf)),
    },
    {
      key: "why",
      header: "Too low",
      values: { "Too low": ({ cause }) => cause ?? "" },

      cell: ({ cause }) => cause ?? "unknown",
    },
    { key: "next", header: "Next payment", cell: (row) => <CoverageBadge {...row} /> },
    {
      key: "runway",
      header: "Payments covered",
      values: { "Payments covered": ({ coveredPayments }) => String(coveredPayments) },
      order: ({ coveredPayments }) => coveredPayments,
      align: "end",
      cell: ({ coveredPayments }) => formatRunway(coveredPayments),
    },
  ];
}
