import { expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testDepth } from "@dueday/test-support/testDepth";
import { bigint, boolean, customType, integer, numeric, pgTable, smallint, text, timestamp } from "drizzle-orm/pg-core";
import fc from "fast-check";
import type { Hex } from "viem";
import { hexBytes } from "../schema/columns";
import { copyRows } from "./copyRows";
import { type CopyValue, encodeRows } from "./encodeRows";

const { database } = await createTestDatabase();
const unbounded = customType<{ data: bigint; driverData: string }>({ dataType: () => "numeric", fromDriver: BigInt });
const table = pgTable("every_type", {
  row: integer("row").notNull(),
  small: smallint("small"),
  int: integer("int"),
  big: bigint("big", { mode: "number" }),
  bounded: numeric("bounded", { precision: 78, scale: 0, mode: "bigint" }),
  unbounded: unbounded("unbounded"),
  text: text("text"),
  bytes: hexBytes("bytes"),
  bool: boolean("bool"),
  time: timestamp("time", { withTimezone: true }),
});
const COLUMNS = ["row", "small", "int", "big", "bounded", "unbounded", "text", "bytes", "bool", "time"];
await database.sql`create table every_type (row int, small smallint, int int, big bigint, bounded numeric(78, 0),
  unbounded numeric, text text, bytes bytea, bool boolean, time timestamptz)`;

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const uint256 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.nat({ max: 78 }).map((digits) => 10n ** BigInt(digits) - 1n),
  fc.nat({ max: 77 }).map((digits) => 10n ** BigInt(digits)),
);
const wellFormed = fc.string({ unit: "binary", maxLength: 2_000 }).map((each) => each.replaceAll("\0", ""));
const hex = fc.uint8Array({ maxLength: 2_000 }).map((bytes): Hex => `0x${bytes.toHex()}`);
const record = fc.record({
  small: nullable(fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 })),
  int: nullable(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  big: nullable(fc.maxSafeInteger()),
  bounded: nullable(uint256),
  unbounded: nullable(uint256.map((value) => value * 10n ** 60n)),
  text: nullable(wellFormed),
  bytes: nullable(hex),
  bool: nullable(fc.boolean()),
  time: nullable(fc.date({ min: new Date(0), max: new Date("2200-01-01"), noInvalidDate: true })),
});

test("values of every type are stored as they are, in one piece or several", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 20 }),
      fc.constantFrom(0, 3_000_000),
      async (drawn, longText) => {
        await database.sql`truncate every_type`;
        const records = drawn.map((each, row) =>
          row === 0 ? { ...each, row, text: "é".repeat(longText / 2) } : { ...each, row },
        );
        const rows = records.map(({ row, small, int, big, bounded, unbounded, text, bytes, bool, time }) => [
          row,
          small,
          int,
          big,
          bounded,
          unbounded,
          text,
          bytes,
          bool,
          time,
        ]);
        await database.sql.begin((sql) => copyRows(sql, table, COLUMNS, rows));
        const stored = await database.db.select().from(table).orderBy(table.row);
        expect(stored).toEqual(records);
      },
    ),
    { numRuns: 50 * testDepth },
  );
});

test.each<[string, CopyValue, string]>([
  ["text in a bigint column", "1", "bigint"],
  ["a number in a numeric column", 1, "numeric(78, 0)"],
  ["a negative number in a numeric column", -1n, "numeric"],
  ["a number beyond a smallint", 32_768, "smallint"],
  ["a number beyond an integer", 2 ** 31, "integer"],
  ["a number that is not whole", 1.5, "bigint"],
  ["characters that are not hexadecimal", "0xzz", "bytea"],
  ["half a byte", "0x123", "bytea"],
  ["a type that is not supported", 1, "double precision"],
])("%s is an error", (_what, value, type) => {
  expect(() => [...encodeRows([type], [[value]])]).toThrow();
});

test("a row with another number of values than columns is an error", () => {
  expect(() => [...encodeRows(["integer"], [[1, 2]])]).toThrow("2 values for 1 columns");
});
