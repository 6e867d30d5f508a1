import { expect, test } from "bun:test";
import { join } from "node:path";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

test("a rebuild that fails ends with 1", async () => {
  const { url, database } = await createTestDatabase();
  await database.sql.unsafe("drop table subscriptions cascade");
  const settings = {
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: "http://127.0.0.1:1",
    CHAIN_31337_CONTRACT: `0x${"c0".repeat(20)}`,
    DATABASE_URL: url,
  };
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../apps/local/src/rebuild.ts")], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...settings },
    stderr: "pipe",
  });
  const timer = setTimeout(() => child.kill(), 20_000);
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
    1,
    expect.stringContaining("could not analyze the index (42P01"),
  ]);
  clearTimeout(timer);
}, 30_000);
