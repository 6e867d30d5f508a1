import { expect, test } from "bun:test";
import { fillIndex } from "@dueday/db/test/syntheticIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import type { TransactionSql } from "postgres";
import { chargesOf, type LogsOf, logsOfBlocks, MONEY_CODES } from "../eventIndex/chargesOf";
import { type LogPlace, logsOfPlaces } from "./logsOfPlaces";

const { database } = await createTestDatabase();
const scope = { chainId: 1, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };
await fillIndex(database, scope, { logs: 5_000, subscriptions: 1, providers: 1, subscribers: 1 });
/** Three transactions a block, and the Coordinates of each charge before it: neighbours are of either table, and of another transaction at an edge. */
await database.sql`update sub_logs set log_index = -1 - log_index * 2, transaction_hash = set_byte(block_hash, 0, log_index / 17)`;
await database.sql`update sub_logs set log_index = -log_index`;
await database.sql`
  insert into coordinates_logs (chain_id, contract, block_number, log_index, block_hash, transaction_hash, subscription_id,
    subscriber_index, subscription_index, frequency, next_unchecked_day)
  select chain_id, contract, block_number, log_index - 1, block_hash, transaction_hash, subscription_id, 0, 0, log_index % 4, 20000
  from sub_logs where code in (5, 8)`;

/** The charges at some places, by the logs that they are read from. */
function readAt(sql: TransactionSql, places: readonly LogPlace[], logsOf: LogsOf) {
  const [blocks, indexes] = [places.map((each) => each.block_number), places.map((each) => each.log_index)];
  return sql`
    select * from (${chargesOf(sql, scope, logsOf)}) c
    where (block_number, log_index) in (select * from unnest(${blocks}::bigint[], ${indexes}::int[]))
    order by block_number, log_index`;
}

test.each([
  ["few of each block", 31],
  ["every second of each block", 2],
])("the charges at %s are what they are among all logs", async (_, every) => {
  await database.sql.begin(async (sql) => {
    const money = await sql<LogPlace[]>`
      select block_number, log_index from sub_logs where code in ${sql(MONEY_CODES)} order by block_number, log_index`;
    const places = money.filter((_place, index) => index % every === 0);
    const found = await readAt(sql, places, logsOfPlaces(sql, scope, places));
    expect(found).toEqual(await readAt(sql, places, logsOfBlocks(sql, scope, sql`true`)));
    expect(found.length).toBeGreaterThan(places.length / 2);
    // Among them are parts that are read from a neighbour.
    expect(found.some(({ code, to_provider }) => code === 8 && to_provider !== "0")).toBe(true);
  });
});
