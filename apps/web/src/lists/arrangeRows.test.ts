import { expect, test } from "bun:test";
import type { Column } from "../tables/DataTable";
import { type Arrangement, arrangeRows } from "./arrangeRows";

type Row = { name: string; paid: bigint };
const rows: Row[] = [
  { name: "Plan 10", paid: 5n },
  { name: "Plan 9", paid: 10n ** 30n },
  { name: "letters", paid: 5n },
];
const columns: readonly Column<Row>[] = [
  { key: "name", header: "Name", cell: () => null, values: { Name: ({ name }) => name } },
  { key: "paid", header: "Paid", cell: () => null, values: { Paid: String }, order: ({ paid }) => paid },
  { key: "bar", header: "Bar", cell: () => null },
];
const arrange = (arrangement: Partial<Arrangement>) =>
  arrangeRows(columns, rows, { search: "", sortedBy: null, isDescending: false, ...arrangement }).map(
    ({ name }) => name,
  );

test("a search keeps rows that have all its words, in any case and any column", () => {
  expect(arrange({ search: "plan" })).toEqual(["Plan 10", "Plan 9"]);
  expect(arrange({ search: " 9  PLAN " })).toEqual(["Plan 9"]);
  expect(arrange({ search: "nothing" })).toEqual([]);
});

test("rows are ordered by what a column is ordered by, numbers within texts by their value; equal rows stay as listed", () => {
  expect(arrange({ sortedBy: "name" })).toEqual(["letters", "Plan 9", "Plan 10"]);
  expect(arrange({ sortedBy: "paid" })).toEqual(["Plan 10", "letters", "Plan 9"]);
  expect(arrange({ sortedBy: "paid", isDescending: true })).toEqual(["Plan 9", "Plan 10", "letters"]);
  expect(arrange({ sortedBy: "bar" })).toEqual(["Plan 10", "Plan 9", "letters"]);
});
