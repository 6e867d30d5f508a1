import { terminalText } from "./terminalText";

export type Cell = string | number | boolean | null | undefined;

export type Table = { title: string; columns: readonly string[]; rows: readonly (readonly Cell[])[] };

/** A title, a header and a line for each row, in columns of equal width. All texts are cleaned for the terminal. */
export function renderTable({ title, columns, rows }: Table): string {
  if (rows.length === 0) return `${terminalText(title)}: none\n`;
  const lines = [columns, ...rows].map((row) => row.map(renderCell));
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const text = lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")).map(withoutEnd);
  return `${terminalText(title)}\n${text.join("\n")}\n`;
}

/** The single values of an answer by their paths. Lists, and what repeats another value in another unit, are left out. */
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

function withoutEnd(line: string): string {
  return line.trimEnd();
}
