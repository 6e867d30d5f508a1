import type { Column } from "../tables/DataTable";

export type Arrangement = {
  /** Words that must all occur in the values of a row. */
  search: string;
  /** Key of a column; null: as listed. */
  sortedBy: string | null;
  isDescending: boolean;
};

/** The rows that match a search, in the wanted order. Rows with equal keys keep their order in the list. */
export function arrangeRows<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { search, sortedBy, isDescending }: Arrangement,
): readonly Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const reads = columns.flatMap(({ values }) => Object.values(values ?? {}));
  const matching =
    words.length === 0
      ? rows
      : rows.filter((row) => {
          const text = reads.map((read) => read(row).toLowerCase()).join("\n");
          return words.every((word) => text.includes(word));
        });
  const column = columns.find(({ key }) => key === sortedBy);
  const order = column && orderOf(column);
  if (order === undefined) return matching;
  const direction = isDescending ? -1 : 1;
  const keyed = matching.map((row) => [order(row), row] as const);
  return keyed.toSorted(([a], [b]) => direction * compare(a, b)).map(([, row]) => row);
}

/** A function that returns the sort key of a row; undefined where the column has no order. */
export function orderOf<Row>({ order, values = {} }: Column<Row>): ((row: Row) => OrderKey) | undefined {
  return order ?? Object.values(values)[0];
}

type OrderKey = string | number | bigint;
const texts = new Intl.Collator("en", { numeric: true });

function compare(a: OrderKey, b: OrderKey): number {
  if (typeof a === "string" && typeof b === "string") return texts.compare(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}
