import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "./createTestDatabase";
import { testRedis } from "./services";

const { database, url } = await createTestDatabase();
const redis = await testRedis();

/** Calls testRedis() in another test process, with this environment and an empty PATH. */
async function askForRedis(env: Record<string, string>): Promise<{ exitCode: number | null; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), "dueday-services-"));
  const file = join(folder, "ask.test.ts");
  const services = JSON.stringify(join(import.meta.dir, "services.ts"));
  await Bun.write(
    file,
    `import { test } from "bun:test";
     const { testRedis } = await import(${services});
     console.log("answer", await testRedis());
     test("runs", () => {});`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ["test", file], {
    cwd: folder,
    env: { PATH: "/nowhere", ...env },
    encoding: "utf8",
  });
  await rm(folder, { recursive: true });
  return { exitCode: status, output: stdout + stderr };
}

test("a test file has a migrated, empty database", async () => {
  const rows = await database.sql`select count(*)::int as rows from snapshots`;
  expect([...rows]).toEqual([{ rows: 0 }]);
  expect(new URL(url).hostname).toBe("127.0.0.1");
});

describe.if(redis !== null)("where there is a Redis", () => {
  test("a test file has one that answers", async () => {
    const client = new Bun.RedisClient(redis?.startsWith("/") ? `redis+unix://${redis}` : (redis ?? ""));
    expect(await client.send("PING", [])).toBe("PONG");
    client.close();
  });
});

test("TEST_REDIS_URL is used unchanged", async () => {
  const { output } = await askForRedis({ TEST_REDIS_URL: "redis://given.example:1" });
  expect(output).toContain("answer redis://given.example:1");
});

test("without any Redis one line names what is skipped and why", async () => {
  const { exitCode, output } = await askForRedis({});
  expect(output).toContain("skipped: every test that needs Redis: no redis-server or valkey-server on the PATH");
  expect(output).toContain("answer null");
  expect(exitCode).toBe(0);
});

test("with CI=true a missing Redis is a failure", async () => {
  const { exitCode } = await askForRedis({ CI: "true" });
  expect(exitCode).not.toBe(0);
});
