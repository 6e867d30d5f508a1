import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import classes from "./DataTable.module.css";
import { useIsPrinted } from "./useIsPrinted";
import { useIsTooWide } from "./useIsTooWide";

export type Column<Row> = {
  key: string;
  header: string;
  /** Figures stand at the end, so that their digits are below each other. */
  align?: "end";
  /** Left out where rows are cards: a drawing of figures that the row has anyway. */
  decorative?: boolean;
  /** Its cells are buttons, which are higher than a line. */
  actions?: boolean;
  cell(row: Row): ReactNode;
  /** What the cell holds, as texts by the names that they have in a file: for search, order and CSV. */
  values?: Readonly<Record<string, (row: Row) => string>>;
  /** What rows are ordered by. Default: the first of `values`. */
  order?(row: Row): string | number | bigint;
};

export type DataTableProps<Row> = {
  /** What the table lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey(row: Row): string;
  /** All rows are in the page, however many: for a table that is printed. */
  whole?: boolean;
  /** Figures of all rows, below the columns of these keys. */
  totals?: Readonly<Record<string, ReactNode>>;
};

/** From this number of rows on, only those in view are in the page. */
const VIRTUAL_FROM = 100;
/** Of a row until one is measured. */
const ROW_HEIGHT_PX = 44;
const ROWS_AHEAD = 12;

/**
 * A table; where it is wider than its frame, each row is a card with the name of the column beside each value. A long one scrolls by
 * itself and holds only the rows in view.
 */
export function DataTable<Row>({ label, columns, rows, rowKey, totals, whole = false }: DataTableProps<Row>) {
  const frame = useRef<HTMLElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const isTooWide = useIsTooWide(frame, table);
  const isPrinted = useIsPrinted();
  const isLong = !whole && !isPrinted && rows.length >= VIRTUAL_FROM;
  const sample = useRef<HTMLTableRowElement>(null);
  const measuredAt = useRef(0);
  const [rowHeight, setRowHeight] = useState(ROW_HEIGHT_PX);
  const { getVirtualItems, getTotalSize, measure } = useVirtualizer({
    count: rows.length,
    enabled: isLong,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: ROWS_AHEAD,
  });
  // The rows of a long table are alike, so one of them is measured at each width: cards are higher than lines.
  useLayoutEffect(() => {
    const width = frame.current?.clientWidth ?? 0;
    const height = sample.current?.offsetHeight ?? 0;
    if (!isLong || height === 0 || width === measuredAt.current) return;
    measuredAt.current = width;
    setRowHeight(height);
  });
  useLayoutEffect(measure, [rowHeight]);
  const items = getVirtualItems();
  const shown = isLong ? items.map(({ index }) => index) : [...rows.keys()];
  const before = items[0]?.start ?? 0;
  const after = getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <section
      ref={frame}
      className={isLong ? `${classes.frame} ${classes.long}` : classes.frame}
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
          {isLong && before > 0 && <Gap height={before} columns={columns.length} />}
          {shown.map((index, position) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <tr key={rowKey(row)} aria-rowindex={index + 2} ref={position === 0 ? sample : undefined}>
                {columns.map((column) => (
                  <td key={column.key} className={classOf(column)} data-label={column.header}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
          {isLong && after > 0 && <Gap height={after} columns={columns.length} />}
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
