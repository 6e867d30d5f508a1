import { expect, test } from "bun:test";
import type { Column } from "../tables/DataTable";
import { toCsv } from "./toCsv";

const columns: readonly Column<[string, string]>[] = [
  { key: "name", header: "Name", cell: () => null, values: { Name: ([name]) => name } },
  { key: "bar", header: "Bar", cell: () => null },
  {
    key: "amount",
    header: "Amount",
    cell: () => null,
    values: { Amount: ([, amount]) => amount, Token: () => "HUSD" },
  },
];

test("a file has the values of each column, by their names, and nothing of columns without values", () => {
  expect(toCsv(columns, [["Reader", "4.20"]])).toBe("Name,Amount,Token\r\nReader,4.20,HUSD\r\n");
  expect(toCsv(columns, [])).toBe("Name,Amount,Token\r\n");
});

test("separators are quoted, and what a spreadsheet would run is text, but a negative amount stays a number", () => {
  const lines = toCsv(columns, [
    ['say "hi", twice\n', "-1.5"],
    ["=1+1", "1"],
    ["\uff1dHYPERLINK(1)", "1"],
  ]).split("\r\n");
  expect(lines.slice(1, 4)).toEqual(['"say ""hi"", twice\n",-1.5,HUSD', "'=1+1,1,HUSD", "'\uff1dHYPERLINK(1),1,HUSD"]);
});
