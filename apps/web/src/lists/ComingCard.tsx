import type { Operations } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import type { PaymentFilter } from "../filter/paymentFilter";
import { countOf, someOf } from "../format/describeDays";
import { amountOrder, formatInteger } from "../format/formatAmount";
import { formatDate } from "../format/formatDate";
import { Answer } from "../states/Answer";
import { Empty } from "../states/Empty";
import type { Column } from "../tables/DataTable";
import { Amount } from "../ui/Amount";
import { Card } from "../ui/Card";
import { Figure, Figures } from "../ui/Figure";
import { Inset } from "../ui/Inset";
import { SourceLink } from "../ui/SourceLink";
import { Stack } from "../ui/Stack";
import { cleanText } from "../ui/UntrustedText";
import { ListTable } from "./ListTable";

type Selection = NonNullable<Operations["getRemitForecast"]["output"]["selection"]>;
type Sum = Selection["backlog"]["byToken"][number];
/** What is due on a day in one token. `date` null: the sum of the open days until today. */
type Row = Sum & { date: string | null };

/** Days that the total covers, after today. */
const DAYS = 30;

/** The payments of the next 30 days that `filter` selects: the total of each token, and each day. */
export function ComingCard({ filter }: { filter: PaymentFilter }) {
  const forecast = useDuedayQuery("getRemitForecast", filter);
  const { data } = forecast;
  return (
    <Card
      flush
      title={`Next ${DAYS} days`}
      note="What is open now and what comes due. Assumes that no account subscribes, leaves or tops up in the meantime."
      {...(data !== undefined && { footer: <SourceLink asOf={data.asOf} /> })}
    >
      <Answer query={forecast} label={`the next ${DAYS} days`} lines={6}>
        {({ selection }) =>
          selection ? (
            <Coming selection={selection} isOutgoing={filter.account !== undefined} />
          ) : (
            <Empty title="The payments are not known">
              The chain&apos;s node shows how many payments are due on each day, but not whose they are.
            </Empty>
          )
        }
      </Answer>
    </Card>
  );
}

function Coming({ selection, isOutgoing }: { selection: Selection; isOutgoing: boolean }) {
  const { next30Days, backlog, days } = selection;
  const rows: Row[] = [{ date: null, ...backlog }, ...days.slice(0, DAYS)].flatMap(({ date, byToken }) =>
    byToken.map((sum) => ({ ...sum, date })),
  );
  const label = isOutgoing ? `Outgoing in ${DAYS} days` : `Due in ${DAYS} days`;
  const { payments, expectedFailures, byToken } = next30Days;
  if (rows.length === 0) return <Empty title={`Nothing is due in the next ${DAYS} days`} />;
  return (
    <>
      <Inset>
        <Stack>
          <Figures>
            {byToken.map((sum) => (
              <Figure key={sum.token} label={label} note={countOf(sum.payments, "payment")}>
                <Amount amount={sum.amount} symbol={sum.symbol} digits={2} />
              </Figure>
            ))}
          </Figures>
          <p>
            {countOf(payments, "payment")}, {someOf(expectedFailures)} expected to fail. The amounts are of those that
            can be paid.
          </p>
        </Stack>
      </Inset>
      <ListTable
        fileName="forecast"
        alwaysSaves
        label={`Payments of the next ${DAYS} days`}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ date, token }) => `${date} ${token}`}
      />
    </>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "date",
    header: "Day",
    values: { Date: ({ date }) => date ?? "open" },
    order: ({ date }) => date ?? "",
    cell: ({ date }) => (date === null ? "open until today" : formatDate(date, "weekday")),
  },
  {
    key: "payments",
    header: "Payments",
    align: "end",
    values: { Payments: ({ payments }) => String(payments) },
    order: ({ payments }) => payments,
    cell: ({ payments }) => formatInteger(payments),
  },
  {
    key: "amount",
    header: "Amount",
    align: "end",
    values: {
      Amount: ({ amount }) => amount,
      Symbol: ({ symbol }) => cleanText(symbol),
      Token: ({ token }) => token,
    },
    order: ({ amount }) => amountOrder(amount),
    cell: ({ amount, symbol }) => <Amount amount={amount} symbol={symbol} />,
  },
];
