import { useDueday, useDuedayQuery } from "@dueday/sdk/react";
import { type FormEvent, useState } from "react";
import type { Address } from "viem";
import { formatDate } from "../../format/formatDate";
import { EventPages } from "../../lists/EventPages";
import { MoneyTable } from "../../lists/MoneyTable";
import { QuarterFiles } from "../../lists/QuarterFiles";
import { usePages } from "../../live/usePages";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { AddressLabel } from "../../ui/AddressLabel";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { FormField, FormFields } from "../../ui/FormField";
import { SourceLink } from "../../ui/SourceLink";
import classes from "./StatementCard.module.css";

type Range = { fromDate: string; toDate: string };

const PAGE = 200;

/** A statement for a range of dates: what was paid and received in each token, and each event. It prints as a separate document. */
export function StatementCard({ address }: { address: Address }) {
  const [range, setRange] = useState(thisMonth);
  const [asked, setAsked] = useState<Range | null>(null);
  const { dueday } = useDueday();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(range);
  };
  return (
    <>
      <div className={classes.choice}>
        <Card title="Statement">
          <form onSubmit={submit}>
            <FormFields
              actions={
                <>
                  <Button kind="primary" type="submit">
                    Show the statement
                  </Button>
                  <Button disabled={asked === null} onClick={() => window.print()}>
                    Print
                  </Button>
                </>
              }
            >
              <DateField
                label="From"
                value={range.fromDate}
                onChange={(fromDate) => setRange({ ...range, fromDate })}
              />
              <DateField label="To" value={range.toDate} onChange={(toDate) => setRange({ ...range, toDate })} />
            </FormFields>
          </form>
        </Card>
        <QuarterFiles
          name={`statement-${address.slice(0, 10)}`}
          read={(days) => dueday.csv.getAccountStatement({ address, ...days })}
        />
      </div>
      {asked !== null && <Statement key={`${asked.fromDate} ${asked.toDate}`} address={address} range={asked} />}
    </>
  );
}

function DateField({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  return (
    <FormField label={label}>
      {(input) => (
        <input {...input} type="date" required value={value} onChange={({ target }) => onChange(target.value)} />
      )}
    </FormField>
  );
}

function Statement({ address, range }: { address: Address; range: Range }) {
  const { dueday } = useDueday();
  const spending = useDuedayQuery("getAccountSpending", { address, group: "month", ...range });
  const income = useDuedayQuery("getProviderIncome", { address, group: "month", ...range });
  const list = usePages({
    name: "getAccountActivity",
    input: { address, ...range },
    read: (start, options) => dueday.getAccountActivity({ address, first: PAGE, ...range, ...start }, options),
  });
  return (
    <>
      <Card
        title={`${formatDate(range.fromDate)} to ${formatDate(range.toDate)}`}
        note={
          <>
            Account <AddressLabel value={address} kind="address" whole />
          </>
        }
        footer={spending.data && <SourceLink asOf={spending.data.asOf} />}
        flush
      >
        <Answer query={spending} label="what was paid">
          {({ periods, totals }) =>
            totals.length === 0 ? (
              <Empty title="Nothing was paid in this period">Choose other dates above.</Empty>
            ) : (
              <MoneyTable periods={periods} totals={totals} group="month" side="paid" />
            )
          }
        </Answer>
      </Card>
      {income.data?.totals.length !== 0 && (
        <Card title="Received" footer={income.data && <SourceLink asOf={income.data.asOf} />} flush>
          <Answer query={income} label="what was received">
            {({ periods, totals }) => <MoneyTable periods={periods} totals={totals} group="month" side="received" />}
          </Answer>
        </Card>
      )}
      <EventPages title="Events" empty="Nothing happened in this period." list={list} perspective="account" whole />
    </>
  );
}

/** From the first of the month until today, UTC. */
function thisMonth(): Range {
  const today = new Date().toISOString().slice(0, 10);
  return { fromDate: `${today.slice(0, 8)}01`, toDate: today };
}
