import { useDueday } from "@dueday/sdk/react";
import { useState } from "react";
import type { Address } from "viem";
import { EventPages } from "../../lists/EventPages";
import { usePages } from "../../live/usePages";
import { eventWords } from "../../tables/EventsTable";
import { Card } from "../../ui/Card";
import { CsvButton } from "../../ui/CsvButton";
import { FormField, FormFields } from "../../ui/FormField";

type EventName = keyof typeof eventWords;

const PAGE = 100;
// Object.keys is typed as string[]; the keys are exactly the events.
const eventNames = Object.keys(eventWords) as EventName[];

type Filters = { eventName?: EventName; fromDate?: string; toDate?: string };

/** What happened to an account as subscriber and as provider, newest first, with filters and as CSV. */
export function ActivityCard({ address }: { address: Address }) {
  const { dueday } = useDueday();
  const [filters, setFilters] = useState<Filters>({});
  const list = usePages({
    name: "getAccountActivity",
    input: { address, ...filters },
    read: (start, options) => dueday.getAccountActivity({ address, first: PAGE, ...filters, ...start }, options),
  });
  return (
    <>
      <Card
        title="Activity"
        aside={
          <CsvButton
            read={() => dueday.csv.getAccountActivity({ address, ...filters })}
            name={`account-${address.slice(0, 10)}`}
          />
        }
      >
        <FilterFields filters={filters} onChange={setFilters} />
      </Card>
      <EventPages
        title="Events"
        empty="Nothing matches, or nothing has happened yet."
        list={list}
        perspective="account"
      />
    </>
  );
}

function FilterFields({ filters, onChange }: { filters: Filters; onChange(filters: Filters): void }) {
  const set = (key: keyof Filters, value: string) => {
    const { [key]: _, ...others } = filters;
    onChange(value === "" ? others : { ...others, [key]: value });
  };
  return (
    <FormFields>
      <FormField label="Event">
        {(input) => (
          <select {...input} value={filters.eventName ?? ""} onChange={({ target }) => set("eventName", target.value)}>
            <option value="">all</option>
            {eventNames.map((name) => (
              <option key={name} value={name}>
                {eventWords[name][0]}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <FormField label="From">
        {(input) => (
          <input
            {...input}
            type="date"
            value={filters.fromDate ?? ""}
            onChange={({ target }) => set("fromDate", target.value)}
          />
        )}
      </FormField>
      <FormField label="To">
        {(input) => (
          <input
            {...input}
            type="date"
            value={filters.toDate ?? ""}
            onChange={({ target }) => set("toDate", target.value)}
          />
        )}
      </FormField>
    </FormFields>
  );
}
