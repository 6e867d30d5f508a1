import { styleText } from "node:util";
import { terminalText } from "./terminalText";

export type Cell = string | number | boolean | null | undefined;

export type Table = { title: string; columns: readonly string[]; rows: readonly (readonly Cell[])[] };

/** The terminal that is written to. */
export type Screen = { columns: number; hasColors: boolean };

/**
 * A title, a header and a line for each row, with aligned columns. A table of more than two columns that is wider than the screen has a block
 * for each row instead, with a line for each cell, so that nothing is cut or broken. All texts are cleaned for the terminal.
 */
export function renderTable({ title, columns, rows }: Table, screen?: Screen): string {
  const emphasize = (text: string) => (screen?.hasColors === true ? bold(text) : text);
  if (rows.length === 0) return `${emphasize(terminalText(title))}: none\n`;
  const cells = rows.map((row) => row.map(renderCell));
  const lines = alignColumns([columns, ...cells]);
  const isTooWide = columns.length > 2 && lines.some(({ length }) => length > (screen?.columns ?? length));
  const body = isTooWide
    ? cells.map((row) => alignColumns(row.map((cell, at) => [columns[at] ?? "", cell])).join("\n")).join("\n\n")
    : lines.join("\n");
  return `${emphasize(terminalText(title))}\n${body}\n`;
}

export function bold(text: string): string {
  // The caller has decided whether colours are wanted.
  return styleText("bold", text, { validateStream: false });
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** The single values of an answer by their paths. Lists, `asOf`, and what repeats another value in another unit, are left out. */
export function factsTable(title: string, answer: object): Table {
  return { title, columns: ["field", "value"], rows: factsOf(answer, "") };
}

function factsOf(value: object, prefix: string): [string, Cell][] {
  return Object.entries(value).flatMap(([key, each]: [string, unknown]): [string, Cell][] => {
    if (key === "asOf" || key === "tokenDecimals" || key.endsWith("Raw")) return [];
    const path = `${prefix}${key}`;
    if (each === null || typeof each === "string" || typeof each === "number" || typeof each === "boolean") {
      return [[path, each]];
    }
    return typeof each === "object" && !Array.isArray(each) ? factsOf(each, `${path}.`) : [];
  });
}

function renderCell(cell: Cell): string {
  return cell === null || cell === undefined || cell === "" ? "-" : terminalText(String(cell));
}
