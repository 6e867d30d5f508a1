import { expect, test } from "bun:test";
import { readConfig } from "./config";

const DATABASE_URL = "postgres://localhost/dueday";

test("a separate API process needs a database that a worker can share, and a port for its metrics alone", () => {
  expect(() => readConfig({})).toThrow("DATABASE_URL");
  expect(() => readConfig({ PORT: "3000", METRICS_PORT: "3000" })).toThrow(/METRICS_PORT.*\n.*DATABASE_URL/);
  expect(() => readConfig({ DATABASE_URL, PORT: "3000", METRICS_PORT: "3000" })).toThrow("METRICS_PORT");
  expect(readConfig({ DATABASE_URL, PORT: "3000", METRICS_PORT: "3001" }).databaseUrl).toBe(DATABASE_URL);
});
