import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";
import classes from "./DataTable.module.css";

export type Column<Row> = {
  key: string;
  header: string;
  /** Figures stand at the end, so that their digits are below each other. */
  align?: "end";
  cell(row: Row): ReactNode;
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

/** From so many rows on, only those in view are in the page. */
const VIRTUAL_FROM = 100;
const ROW_HEIGHT_PX = 44;
const ROWS_AHEAD = 12;

/** A table that scrolls sideways where it is wider than the page. A long one scrolls by itself and holds only the rows in view. */
export function DataTable<Row>({ label, columns, rows, rowKey, totals, whole = false }: DataTableProps<Row>) {
  const frame = useRef<HTMLElement>(null);
  const isLong = !whole && rows.length >= VIRTUAL_FROM;
  const { getVirtualItems, getTotalSize } = useVirtualizer({
    count: rows.length,
    enabled: isLong,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: ROWS_AHEAD,
  });
  const items = getVirtualItems();
  const shown = isLong ? items.map(({ index }) => index) : rows.keys().toArray();
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
      <table className={classes.table} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map(({ key, header, align }) => (
              <th key={key} scope="col" className={align === "end" ? classes.end : undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {isLong && before > 0 && <Gap height={before} columns={columns.length} />}
          {shown.map((index) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <tr key={rowKey(row)} aria-rowindex={index + 2}>
                {columns.map(({ key, align, cell }) => (
                  <td key={key} className={align === "end" ? classes.end : undefined}>
                    {cell(row)}
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
              {columns.map(({ key, align }) => (
                <td key={key} className={align === "end" ? classes.end : undefined}>
                  {totals[key]}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}

/** Stands in for the rows out of view. */
function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr>
      <td colSpan={columns} className={classes.gap} style={{ height }} />
    </tr>
  );
}
