import { ServiceError } from "@dueday/core/errors";
import type { TSchema } from "@sinclair/typebox";
import { stringify } from "csv-stringify/sync";
import type { RawInput } from "../../operation/checkInput";
import type { Operation } from "../../operation/defineOperation";
import type { Outcome } from "../../operation/execute";
import { csvField } from "./csvField";

/** Entries read at once for a file. */
const PAGE = 200;

type Fields = Record<string, unknown>;

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
  const read = async (position: object): Promise<Fields> => {
    const outcome = await run({ values: { ...filters, ...size, ...position }, issues });
    const answer: Fields = "ready" in outcome ? JSON.parse(outcome.ready.text) : Object(outcome.value);
    // JSON has the error beside the empty list; a file has no place for it.
    if (answer.error !== undefined)
      throw new ServiceError("UPSTREAM_UNAVAILABLE", "The history source failed; try again in a few seconds");
    return answer;
  };
  const write = (rows: readonly Fields[]) =>
    new TextEncoder().encode(
      stringify(
        rows.map((row) => columns.map(([name, schema]) => csvField(schema, row[name]))),
        { record_delimiter: "windows" },
      ),
    );

  let page = await read({});
  const atBlock = filters.atBlock ?? Object(page.asOf).blockNumber;
  // A source without cursors reads this block number beside the page, which may be of an earlier block.
  if (page.nextSkip !== undefined && page.nextAfter === undefined && filters.atBlock === undefined)
    page = await read({ atBlock });
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(write([Object.fromEntries(columns.map(([name]) => [name, name]))]));
      },
      async pull(controller) {
        // The schema of the operation makes it a list of objects.
        controller.enqueue(write(page[list] as Fields[]));
        const next = nextPage(page, atBlock);
        if (next === null) controller.close();
        else page = await read(next);
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

/** Where the page after this one begins; null at the end of the list. A source without cursors has pages by skip, of one state. */
function nextPage({ nextAfter, nextSkip, count }: Fields, atBlock: unknown): object | null {
  if (nextAfter !== undefined) return { after: nextAfter };
  if (nextSkip !== undefined) return { skip: nextSkip, atBlock };
  // Such a source knows the count only at the end of the list.
  if (count === null) throw new Error("the list is longer than its source can be paged");
  return null;
}

/** The properties of a list's entries with their schemas, in their order. */
function columnsOf({ name, output }: Operation, list: string): [string, TSchema][] {
  const entry: TSchema | undefined = output.properties?.[list]?.items;
  if (entry?.properties === undefined) throw new Error(`the answer of ${name} has no list ${list} of objects`);
  return Object.entries(entry.properties);
}
