import type { Operations } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { formatInteger } from "../../format/formatAmount";
import { Answer } from "../../states/Answer";
import { type Column, DataTable } from "../../tables/DataTable";
import { Card } from "../../ui/Card";
import classes from "./Developers.module.css";

type Usage = Operations["getPortalUsage"]["output"];
type Holder = { id: string; name: string; limits: Usage["session"] };

const RENEW_MS = 15_000;

/** The limits with the headers of their columns, in the order of the catalog. */
const LIMITS: readonly [name: string, header: string][] = [
  ["globalRpm", "All per minute"],
  ["expensiveRpm", "Expensive per minute"],
  ["writeRpm", "Prepares per minute"],
  ["writeDaily", "Prepares per day"],
  ["subgraphDaily", "History per day"],
  ["dailyTotalRequests", "All per day"],
];

/** How much of each limit this account's sessions and each key have used. */
export function UsageCard() {
  const usage = useDuedayQuery("getPortalUsage", {}, { refetchInterval: RENEW_MS });
  return (
    <Card
      flush
      title="Usage"
      note="Requests used and allowed. A minute is the last 60 seconds; a day is the current day in UTC."
    >
      <Answer query={usage} label="your usage" lines={3}>
        {(answer) => (
          <DataTable label="Usage of limits" columns={COLUMNS} rows={holdersOf(answer)} rowKey={({ id }) => id} />
        )}
      </Answer>
    </Card>
  );
}

function holdersOf({ session, keys }: Usage): Holder[] {
  const ofKeys = keys.map(({ id, prefix, label, limits }) => ({ id, name: label || `${prefix}…`, limits }));
  return [{ id: "session", name: "Your sessions", limits: session }, ...ofKeys];
}

const COLUMNS: readonly Column<Holder>[] = [
  { key: "name", header: "Used by", cell: ({ name }) => <span className={classes.name}>{name}</span> },
  ...LIMITS.map(
    ([name, header]): Column<Holder> => ({
      key: name,
      header,
      align: "end",
      cell: ({ limits }) => {
        const found = limits.find((limit) => limit.name === name);
        return found === undefined ? "—" : `${formatInteger(found.used)} of ${formatInteger(found.limit)}`;
      },
    }),
  ),
];
