import type { Operations } from "@dueday/sdk";
import { useDue, useDueday } from "@dueday/sdk/react";
import type { PaymentFilter } from "../../filter/paymentFilter";
import { countOf, someOf } from "../../format/describeDays";
import { formatInteger } from "../../format/formatAmount";
import { formatDate } from "../../format/formatDate";
import { ListTable } from "../../lists/ListTable";
import { toCsv } from "../../lists/toCsv";
import { usePlanNames } from "../../live/usePlanNames";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import type { Column } from "../../tables/DataTable";
import { amountColumn, planColumn } from "../../tables/termColumns";
import { Badge, type Tone } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { SellerLabel } from "../../ui/SellerLabel";
import { SourceLink } from "../../ui/SourceLink";
import { cleanText } from "../../ui/UntrustedText";
import { MOST_OF_A_LIST, readDueDay } from "./readDueDay";

type DueDay = Operations["getSubscriptionsDue"]["output"];
type Due = DueDay["results"][number]["subscriptions"][number];

/** Entries of each of the four lists, one for each frequency. */
const FIRST = 100;

const tones: Readonly<Record<Due["state"], Tone>> = {
  settled: "good",
  open: "accent",
  upcoming: "neutral",
  missed: "warn",
};

const reasons: Readonly<Record<NonNullable<Due["reason"]>, string>> = {
  cancelled: "cancelled",
  token_paused: "token paused",
  no_subscribers: "no subscribers",
  day_settled: "day is settled",
  missed: "skipped by remit()",
  blocked: "remit() is blocked",
};

/** The subscriptions that are due on one day. */
export function DayCard({ date, filter }: { date: string; filter: PaymentFilter }) {
  const { dueday } = useDueday();
  const due = useDue({ date, ...filter, first: FIRST });
  const { data } = due;
  const names = usePlanNames(data?.results.flatMap(({ subscriptions }) => subscriptions.map(({ id }) => id)) ?? []);
  return (
    <Card
      flush
      title={formatDate(date, "date")}
      {...(data !== undefined && { note: noteOf(data), footer: <SourceLink asOf={data.asOf} /> })}
    >
      <Answer query={due} label="the day" lines={4}>
        {({ results }) => {
          const rows = results.flatMap(({ subscriptions }) => subscriptions);
          const listed = results.reduce((sum, { count }) => sum + count, 0);
          const hasFile = results.every(({ count }) => count <= MOST_OF_A_LIST);
          if (rows.length === 0)
            return <Empty title="No subscription is due on this day">Choose another day of the month above.</Empty>;
          return (
            <>
              <ListTable
                fileName={hasFile ? `due-${date}` : null}
                alwaysSaves
                {...(listed > rows.length && {
                  readCsv: async () => toCsv(columnsOf(names), await readDueDay(dueday, { date, ...filter })),
                })}
                label={`Due on ${date}`}
                columns={columnsOf(names)}
                rows={rows}
                rowKey={({ id }) => id}
              />
              {listed > rows.length && (
                <Empty title={`The first ${rows.length} of ${formatInteger(listed)} are shown`}>
                  {!hasFile &&
                    `They can't be saved in one file, which has at most ${formatInteger(MOST_OF_A_LIST)} of each frequency. Choose accounts, providers or plans above, and save those.`}
                </Empty>
              )}
            </>
          );
        }}
      </Answer>
    </Card>
  );
}

function noteOf({ dayState, totals, settled, missed }: DueDay): string {
  const toCome = dayState === "upcoming" ? "to come" : "open";
  const parts = [
    totals.payments > 0 &&
      `${countOf(totals.payments, "payment")} ${toCome}, ${someOf(totals.expectedFailures)} will fail`,
    settled !== null &&
      settled.payments > 0 &&
      `${countOf(settled.payments, "payment")} settled, ${someOf(settled.failures)} failed`,
    missed.payments > 0 && `${countOf(missed.payments, "payment")} missed`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? "Nothing is charged on this day." : `${parts.join("; ")}.`;
}

const columnsOf = (names: ReturnType<typeof usePlanNames>): readonly Column<Due>[] => [
  planColumn(names, ({ id }) => id),
  {
    key: "state",
    header: "State",
    values: { State: ({ state }) => state },
    cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge>,
  },
  {
    key: "frequency",
    header: "Every",
    values: { Every: ({ frequencyLabel }) => frequencyLabel.toLowerCase() },
    cell: ({ frequencyLabel }) => frequencyLabel.toLowerCase(),
  },
  {
    key: "provider",
    header: "Provider",
    values: {
      Provider: ({ provider }) => provider,
      Seller: ({ id }) => cleanText(names.get(id)?.seller.name ?? ""),
    },
    cell: ({ id, provider }) => <SellerLabel address={provider} seller={names.get(id)?.seller} />,
  },
  amountColumn((due) => due),
  {
    key: "subscribers",
    header: "Subscribers",
    values: { Subscribers: ({ subscribers }) => String(subscribers) },
    order: ({ subscribers }) => subscribers,
    align: "end",
    cell: ({ subscribers }) => formatInteger(subscribers),
  },
  {
    key: "payments",
    header: "To be charged",
    values: { "To be charged": ({ payments, reason }) => (reason === undefined ? String(payments) : "0") },
    order: ({ payments, reason }) => (reason === undefined ? payments : 0),
    align: "end",
    cell: ({ payments, reason }) => (reason === undefined ? formatInteger(payments) : `0, ${reasons[reason]}`),
  },
];
