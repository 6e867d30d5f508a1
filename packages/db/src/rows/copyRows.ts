import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import type { TransactionSql } from "postgres";
import { type CopyValue, encodeRows } from "./encodeRows";

/**
 * Writes rows into some columns of a table. The types of the columns are those of the schema.
 *
 * @throws the error with which the server rejects the rows; Error where a value does not have the type of its column
 */
export async function copyRows(
  sql: TransactionSql,
  table: PgTable,
  columns: readonly string[],
  rows: readonly (readonly CopyValue[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const { name, columns: known } = getTableConfig(table);
  const types = new Map(known.map((column) => [column.name, column.getSQLType()]));
  const typesOfColumns = columns.map((column) => types.get(column) ?? `unknown (${column})`);
  const target = await sql`copy ${sql(name)} (${sql([...columns])}) from stdin (format binary)`.writable();
  await pipeline(Readable.from(encodeRows(typesOfColumns, rows)), target);
}
