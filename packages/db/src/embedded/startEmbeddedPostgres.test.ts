import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@dueday/test-support/waitUntil";
import postgres from "postgres";
import { clearLeftover, readServerState } from "./clusterFiles";
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from "./startEmbeddedPostgres";
import { isServerOf, worksIn } from "./stopServer";

// Each start creates a cluster, on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const folder = await mkdtemp(join(tmpdir(), "dueday-embedded-"));
await chmod(folder, 0o711);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** With programs that are copied once for all tests. */
function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ cacheDir: folder, ...options });
}

async function ask(server: EmbeddedPostgres, statement: string): Promise<readonly Record<string, unknown>[]> {
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end();
  }
}

/** Starts a server in another process, kills only that process, and returns the pid of the server left behind. */
async function leaveServerBehind(dataDir: string): Promise<number> {
  const started = join(dataDir, "started");
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(join(import.meta.dir, "startEmbeddedPostgres.ts"))});
    await startEmbeddedPostgres(${JSON.stringify({ dataDir, cacheDir: folder })});
    await Bun.write(${JSON.stringify(started)}, "yes");
    setInterval(() => {}, 1000);`;
  // Children inherit `bun --no-orphans`, which would end the server together with its parent.
  const { BUN_FEATURE_FLAG_NO_ORPHANS: _, ...env } = process.env;
  const parent = spawn(process.execPath, ["-e", script], { stdio: "ignore", env });
  while (!(await Bun.file(started).exists())) await Bun.sleep(10);
  parent.kill("SIGKILL");
  await once(parent, "exit");
  const state = await readServerState(join(dataDir, "cluster"));
  if (state === null) throw new Error("the killed process had no server");
  return state.pid;
}

test("data survives a stop and a start, and no process runs in between", async () => {
  const dataDir = join(folder, "durable");
  const first = await start({ dataDir });
  await ask(first, "create table kept (value text); insert into kept values ('here')");
  const before = await readServerState(join(dataDir, "cluster"));
  await first.stop();
  expect(await isServerOf(join(dataDir, "cluster"), before?.pid ?? 0)).toBe(false);
  const second = await start({ dataDir });
  expect(await ask(second, "select value from kept")).toEqual([{ value: "here" }]);
  await second.stop();
});

test("a data folder may have a longer path than a socket can", async () => {
  const dataDir = join(folder, "deep".repeat(20), "deeper".repeat(20));
  const server = await startEmbeddedPostgres({ dataDir, temporary: true });
  expect(await ask(server, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
});

test("stopping a temporary server leaves no file", async () => {
  const dataDir = join(folder, "temporary");
  const server = await start({ dataDir, temporary: true });
  await server.stop();
  await expect(stat(dataDir)).rejects.toThrow("ENOENT");
});

test("of several simultaneous starts on a new folder exactly one succeeds, and the others name its process", async () => {
  const dataDir = join(folder, "contended");
  const starts = await Promise.allSettled(Array.from({ length: 4 }, () => start({ dataDir })));
  const winners = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const refusals = starts.flatMap((start) => (start.status === "rejected" ? [String(start.reason)] : []));
  for (const winner of winners) await winner.stop();
  expect(winners).toHaveLength(1);
  expect(refusals).toHaveLength(3);
  for (const refusal of refusals) expect(refusal).toMatch(/in use by another running process .*DATA_DIR/);
});

test("a server left behind by a killed process is replaced by the next start, with its data", async () => {
  const dataDir = join(folder, "orphan");
  await mkdir(dataDir);
  const orphan = await leaveServerBehind(dataDir);
  expect(await isServerOf(join(dataDir, "cluster"), orphan)).toBe(true);
  const server = await start({ dataDir });
  expect(await isServerOf(join(dataDir, "cluster"), orphan)).toBe(false);
  expect(await ask(server, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
});

test("a cluster whose server was itself killed is recovered", async () => {
  const dataDir = join(folder, "crashed");
  await mkdir(dataDir);
  const orphan = await leaveServerBehind(dataDir);
  process.kill(orphan, "SIGKILL");
  await waitUntil("the server has ended", async () => !(await worksIn(join(dataDir, "cluster"), orphan)));
  const server = await start({ dataDir });
  expect(await ask(server, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
});

test("a stale pid that now belongs to another program neither blocks the start nor stops that program", async () => {
  const dataDir = join(folder, "reused-pid");
  const first = await start({ dataDir });
  const pidFile = join(dataDir, "cluster", "postmaster.pid");
  const lines = (await readFile(pidFile, "utf8")).split("\n");
  await first.stop();
  const { uid, gid } = await stat(join(dataDir, "cluster"));
  const bystander = spawn("sleep", ["600"], { stdio: "ignore", uid, gid });
  await writeFile(pidFile, [bystander.pid, ...lines.slice(1)].join("\n"));
  const second = await start({ dataDir });
  expect(await ask(second, "select 1 as one")).toEqual([{ one: 1 }]);
  await second.stop();
  expect(bystander.exitCode).toBeNull();
  bystander.kill("SIGKILL");
  await once(bystander, "exit");
});

test("a running server that is reached through a link is neither stopped nor robbed of its pid file", async () => {
  const dataDir = join(folder, "linked");
  const server = await start({ dataDir, temporary: true });
  const link = join(folder, "link");
  await symlink(dataDir, link);
  const before = await readFile(join(dataDir, "cluster", "postmaster.pid"), "utf8");
  await expect(clearLeftover(join(link, "cluster"))).rejects.toThrow(/PostgreSQL server .*\(pid \d+\) runs on/);
  expect(await readFile(join(dataDir, "cluster", "postmaster.pid"), "utf8")).toBe(before);
  expect(await ask(server, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
});

test("a link in place of the pid file is not followed", async () => {
  const cluster = await mkdtemp(join(folder, "planted-"));
  const target = join(folder, "target");
  await writeFile(target, "999999999\nkept");
  await symlink(target, join(cluster, "postmaster.pid"));
  await expect(clearLeftover(cluster)).rejects.toThrow("ELOOP");
  expect(await readFile(target, "utf8")).toBe("999999999\nkept");
});

test("only the server's user can read the password file, also where its mode was another one", async () => {
  const dataDir = join(folder, "password");
  await (await start({ dataDir })).stop();
  const path = join(dataDir, "password");
  const owner = (await stat(join(dataDir, "cluster"))).uid;
  const found = async () => {
    const { mode, uid } = await stat(path);
    return { mode: mode & 0o777, uid };
  };
  expect(await found()).toEqual({ mode: 0o600, uid: owner });
  await chmod(path, 0o644);
  const again = await start({ dataDir });
  expect(await found()).toEqual({ mode: 0o600, uid: owner });
  await again.stop();
});

test("a data folder into which every user can write is rejected", async () => {
  const dataDir = join(folder, "open");
  await mkdir(dataDir);
  await chmod(dataDir, 0o777);
  await expect(start({ dataDir })).rejects.toThrow("every user can write into it");
});

test("a cluster of another major version is rejected with both versions", async () => {
  const dataDir = join(folder, "older");
  await mkdir(join(dataDir, "cluster"), { recursive: true });
  await writeFile(join(dataDir, "cluster", "PG_VERSION"), "15\n");
  await expect(start({ dataDir })).rejects.toThrow("created by PostgreSQL 15, but this version embeds PostgreSQL 18");
});

// Only root runs the server as another user, who may not be able to enter the folder.
if (process.getuid?.() === 0) {
  test("a folder that other users can't enter still gets its server, and a stop leaves no file elsewhere", async () => {
    const closed = join(folder, "closed");
    await mkdir(closed, { mode: 0o700 });
    const dataDir = join(closed, "data");
    const server = await startEmbeddedPostgres({ dataDir, temporary: true });
    const elsewhere = (await readFile(join(dataDir, "moved-to"), "utf8")).trim();
    expect(await ask(server, "select 1 as one")).toEqual([{ one: 1 }]);
    await server.stop();
    await expect(stat(elsewhere)).rejects.toThrow("ENOENT");
  });
}
