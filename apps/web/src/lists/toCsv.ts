import type { Column } from "../tables/DataTable";

/** A spreadsheet runs a text as a formula where it begins with one of these characters, some of them in full width. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Rows as the text of a CSV file (RFC 4180), with the `values` of the columns. A text that a spreadsheet would run gets an apostrophe in front. */
export function toCsv<Row>(columns: readonly Pick<Column<Row>, "values">[], rows: readonly Row[]): string {
  const values = columns.flatMap((column) => Object.entries(column.values ?? {}));
  const head = values.map(([name]) => toField(name));
  const lines = rows.map((row) => values.map(([, read]) => toField(read(row))));
  return [head, ...lines].map((fields) => `${fields.join(",")}\r\n`).join("");
}

function toField(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
