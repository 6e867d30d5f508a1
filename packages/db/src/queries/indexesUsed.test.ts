import { expect, test } from "bun:test";
import { fillIndex, syntheticAccount, syntheticId } from "@dueday/db/test/syntheticIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import postgres from "postgres";
import type { Database } from "../connectDatabase";
import { readAccountEvents, readSubscriptionEvents } from "./readEvents";
import { searchSubscriptions } from "./searchSubscriptions";

const { database, url } = await createTestDatabase();
const scope = { chainId: 1, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };
await fillIndex(database, scope, { logs: 40_000, subscriptions: 8_000, providers: 50, subscribers: 500 });

type Statement = { query: string; parameters: unknown[] };
type PlanNode = { "Node Type": string; "Relation Name"?: string; "Index Name"?: string; Plans?: PlanNode[] };

/** The statements that the work sent to the database. */
async function statementsOf(work: (database: Database) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const sql = postgres(url, {
    max: 1,
    debug: (_connection, query, parameters) => void statements.push({ query, parameters }),
  });
  await work({ ...database, sql });
  await sql.end();
  return statements.filter(({ query }) => /from \(?(select \* from )?(sub_logs|subscriptions)|sub_logs/.test(query));
}

async function explain({ query, parameters }: Statement): Promise<PlanNode[]> {
  // The parameters come from the driver itself, so they fit the statement.
  const rows = await database.sql.unsafe(`explain (format json) ${query}`, parameters as never[]);
  const plan: PlanNode = rows[0]?.["QUERY PLAN"][0].Plan;
  const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];
  return flatten(plan);
}

const page = { first: 200, skip: 5_000, atBlock: null };
const reads: [string, (database: Database) => Promise<unknown>][] = [
  ["history of a subscription", (db) => readSubscriptionEvents(db, scope, syntheticId(0), page)],
  ["activity of a provider", (db) => readAccountEvents(db, scope, syntheticAccount("provider", 0), page)],
  ["activity of a subscriber", (db) => readAccountEvents(db, scope, syntheticAccount("subscriber", 3), page)],
  ["search", (db) => searchSubscriptions(db, scope, { cancelled: false }, { ...page, first: 25 })],
  [
    "search by provider",
    (db) => searchSubscriptions(db, scope, { cancelled: false, provider: syntheticAccount("provider", 1) }, page),
  ],
];

test.each(reads)("%s: events are found by an index, never by a sequential scan", async (_, read) => {
  const statements = await statementsOf(read);
  expect(statements.length).toBeGreaterThan(0);
  const nodes = (await Promise.all(statements.map(explain))).flat();
  const ofLogs = nodes.filter((node) => node["Relation Name"] === "sub_logs");
  expect(ofLogs.filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
  expect(nodes.some((node) => node["Index Name"] !== undefined)).toBe(true);
});

test("a search by provider reads only that provider's subscriptions", async () => {
  const read = reads[4]?.[1];
  const nodes = read === undefined ? [] : (await Promise.all((await statementsOf(read)).map(explain))).flat();
  const ofSubscriptions = nodes.filter((node) =>
    /subscriptions/.test(node["Relation Name"] ?? node["Index Name"] ?? ""),
  );
  expect(ofSubscriptions.filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
});
