import { useMemo, useState } from "react";
import { Empty } from "../states/Empty";
import { DataTable, type DataTableProps } from "../tables/DataTable";
import { CsvButton } from "../ui/CsvButton";
import { FormField } from "../ui/FormField";
import { type Arrangement, arrangeRows, orderOf } from "./arrangeRows";
import classes from "./ListTable.module.css";
import { toCsv } from "./toCsv";

export type ListTableProps<Row> = DataTableProps<Row> & {
  /** Name of its CSV file, without the ending; null where it can't be saved. */
  fileName: string | null;
  /** Reads the file from the service, which may have more rows than are listed. Default: the rows that are shown, those that match the search, in the chosen order. */
  readCsv?(): Promise<string>;
  /** A short list can be saved too. */
  alwaysSaves?: boolean;
};

/** A shorter list is seen at a glance. */
const LONG_FROM = 8;
const AS_LISTED: Arrangement = { search: "", sortedBy: null, isDescending: false };

/** A table that can be searched, sorted and saved as CSV where it is long (saved always with `alwaysSaves`). It searches loaded rows only. */
export function ListTable<Row>({
  fileName,
  readCsv,
  alwaysSaves = false,
  columns,
  rows,
  totals,
  ...table
}: ListTableProps<Row>) {
  const [arrangement, setArrangement] = useState(AS_LISTED);
  const isLong = rows.length >= LONG_FROM;
  // A list that has become short shows no search, so it must not hide rows by one.
  const applied = isLong ? arrangement : AS_LISTED;
  const shown = useMemo(() => arrangeRows(columns, rows, applied), [columns, rows, applied]);
  const { search, sortedBy, isDescending } = arrangement;
  const sortable = columns.filter((column) => orderOf(column) !== undefined);
  const isAll = shown.length === rows.length;
  return (
    <>
      {(isLong || alwaysSaves) && (
        <div className={classes.tools}>
          {isLong && (
            <>
              <FormField
                label="Search"
                hint={isAll ? undefined : <span role="status">{`${shown.length} of ${rows.length} listed`}</span>}
              >
                {(input) => (
                  <input
                    {...input}
                    type="search"
                    autoComplete="off"
                    spellCheck={false}
                    value={search}
                    onChange={({ target }) => setArrangement({ ...arrangement, search: target.value })}
                  />
                )}
              </FormField>
              <FormField label="Order">
                {(input) => (
                  <select
                    {...input}
                    value={sortedBy === null ? "" : `${sortedBy} ${isDescending ? "down" : "up"}`}
                    onChange={({ target }) => setArrangement({ ...arrangement, ...readOrder(target.value) })}
                  >
                    <option value="">as listed</option>
                    {sortable.flatMap(({ key, header }) => [
                      <option key={`${key} up`} value={`${key} up`}>{`${header}, ascending`}</option>,
                      <option key={`${key} down`} value={`${key} down`}>{`${header}, descending`}</option>,
                    ])}
                  </select>
                )}
              </FormField>
            </>
          )}
          {fileName !== null && (
            <div className={classes.file}>
              <CsvButton name={fileName} read={readCsv ?? (async () => toCsv(columns, shown))} />
            </div>
          )}
        </div>
      )}
      {shown.length === 0 ? (
        <Empty title="Nothing matches">Change the search above.</Empty>
      ) : (
        // Totals are those of all rows, so a search hides them.
        <DataTable columns={columns} rows={shown} {...table} {...(isAll && totals !== undefined && { totals })} />
      )}
    </>
  );
}

/** The order that the value of an option stands for. */
function readOrder(value: string): Pick<Arrangement, "sortedBy" | "isDescending"> {
  const [key, direction] = value.split(" ");
  return { sortedBy: key || null, isDescending: direction === "down" };
}
