import { ServiceError } from "@dueday/core/errors";
import type { TSchema } from "@sinclair/typebox";
import { stringify } from "csv-stringify/sync";
import type { RawInput } from "../../operation/checkInput";
import type { Operation } from "../../operation/defineOperation";
import type { Outcome } from "../../operation/execute";
import { csvField } from "./csvField";

/** Entries read at once for a file. */
const PAGE = 200;

/**
 * Answers a list as CSV (RFC 4180): a header row, then all rows, page by page as fast as the client reads. `first` and `skip` do not apply,
 * because a part of the list would be taken for the whole; `after` does. A text that a spreadsheet would run as a formula begins with an
 * apostrophe.
 *
 * @throws ServiceError as the operation, for the first page. A later page that fails breaks the connection off, so that no client takes
 * a part for the whole.
 */
export async function respondCsv(
  operation: Operation,
  run: (raw: RawInput) => Promise<Outcome>,
  { values, issues }: RawInput,
  list: string,
): Promise<Response> {
  const columns = columnsOf(operation, list);
  const { first: _, skip: __, ...filters } = values;
  const size = "first" in operation.input.properties ? { first: PAGE } : {};
  const read = async (after: unknown) => {
    const page = { ...filters, ...size, ...(after === undefined ? {} : { after }) };
    const outcome = await run({ values: page, issues });
    const answer: Record<string, unknown> = "ready" in outcome ? JSON.parse(outcome.ready.text) : Object(outcome.value);
    // JSON has the error beside the empty list; a file has no place for it.
    if (answer.error !== undefined)
      throw new ServiceError("UPSTREAM_UNAVAILABLE", "The history source failed; try again in a few seconds");
    // The operation's schema, which execute has checked, makes it a list of objects.
    return { rows: answer[list] as Record<string, unknown>[], next: answer.nextAfter };
  };
  const write = (rows: readonly Record<string, unknown>[]) =>
    new TextEncoder().encode(
      stringify(
        rows.map((row) => columns.map(([name, schema]) => csvField(schema, row[name]))),
        { record_delimiter: "windows" },
      ),
    );

  let page = await read(filters.after);
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(write([Object.fromEntries(columns.map(([name]) => [name, name]))]));
      },
      async pull(controller) {
        controller.enqueue(write(page.rows));
        if (page.next === undefined) controller.close();
        else page = await read(page.next);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${operation.name}.csv"`,
    },
  });
}

/** The properties of a list's entries with their schemas, in their order. */
function columnsOf({ name, output }: Operation, list: string): [string, TSchema][] {
  const entry: TSchema | undefined = output.properties?.[list]?.items;
  if (entry?.properties === undefined) throw new Error(`the answer of ${name} has no list ${list} of objects`);
  return Object.entries(entry.properties);
}
