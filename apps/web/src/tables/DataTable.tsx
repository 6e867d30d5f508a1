import { type ReactNode, useRef } from "react";
import { lazyPart } from "../states/lazyPart";
import classes from "./DataTable.module.css";
import type { RowsInViewProps, RowView } from "./RowsInView";
import { useIsPrinted } from "./useIsPrinted";
import { useIsTooWide } from "./useIsTooWide";

export type Column<Row> = {
  key: string;
  header: string;
  /** Figures stand at the end, so that their digits are below each other. */
  align?: "end";
  /** Hidden where rows are cards: the column only draws figures that the row also shows as text. */
  decorative?: boolean;
  /** Its cells are buttons, which are higher than a line. */
  actions?: boolean;
  cell(row: Row): ReactNode;
  /** The cell's values as texts, by their column names in a CSV file. Search, order and CSV use them. */
  values?: Readonly<Record<string, (row: Row) => string>>;
  /** Sort key of a row. Default: the first of `values`. */
  order?(row: Row): string | number | bigint;
};

export type DataTableProps<Row> = {
  /** What the table lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey(row: Row): string;
  /** Renders all rows, however many: for a table that is printed. */
  whole?: boolean;
  /** Totals of all rows, by the key of the column below which they are shown. */
  totals?: Readonly<Record<string, ReactNode>>;
};

/** From this number of rows on, only those in view are in the page. */
const LONG_FROM = 100;
const ROW_HEIGHT_PX = 44;
const ROWS_AHEAD = 12;

const RowsInView = lazyPart<RowsInViewProps>(
  "the table",
  () => import("./RowsInView").then((module) => module.RowsInView),
  ({ count, estimate, ahead, children }) =>
    children({ indexes: [...Array(ahead).keys()], before: 0, after: (count - ahead) * estimate }),
);

/**
 * A table. Where it is wider than its frame, each row is a card with the name of the column beside each value. A long table scrolls in
 * its own frame and renders only the rows in view.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, whole = false } = props;
  const isPrinted = useIsPrinted();
  if (whole || isPrinted || rows.length < LONG_FROM) return <Rows {...props} />;
  return (
    <RowsInView count={rows.length} estimate={ROW_HEIGHT_PX} ahead={ROWS_AHEAD}>
      {(view) => <Rows {...props} view={view} />}
    </RowsInView>
  );
}

/** All rows of a table, or those in view of a long one. */
function Rows<Row>({ label, columns, rows, rowKey, totals, view }: DataTableProps<Row> & { view?: RowView }) {
  const ownFrame = useRef<HTMLElement>(null);
  const frame = view?.refs?.frame ?? ownFrame;
  const table = useRef<HTMLTableElement>(null);
  const isTooWide = useIsTooWide(frame, table);
  return (
    <section
      ref={frame}
      className={view === undefined ? classes.frame : `${classes.frame} ${classes.long}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <table
        ref={table}
        className={isTooWide ? `${classes.table} ${classes.cards}` : classes.table}
        aria-rowcount={rows.length + 1}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classOf(column)}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {view !== undefined && view.before > 0 && <Gap height={view.before} columns={columns.length} />}
          {(view?.indexes ?? [...rows.keys()]).map((index, position) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <tr key={rowKey(row)} aria-rowindex={index + 2} ref={position === 0 ? view?.refs?.sample : undefined}>
                {columns.map((column) => (
                  <td key={column.key} className={classOf(column)} data-label={column.header}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
          {view !== undefined && view.after > 0 && <Gap height={view.after} columns={columns.length} />}
        </tbody>
        {totals !== undefined && (
          <tfoot>
            <tr>
              {columns.map((column) => (
                <td key={column.key} className={classOf(column)} data-label={column.header}>
                  {totals[column.key]}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}

function classOf({ align, decorative, actions }: Omit<Column<never>, "cell" | "values" | "order">): string | undefined {
  if (decorative) return classes.decorative;
  if (actions) return classes.actions;
  return align === "end" ? classes.end : undefined;
}

/** Stands in for the rows out of view. */
function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr>
      <td colSpan={columns} className={classes.gap} style={{ height }} />
    </tr>
  );
}
