import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import postgres from "postgres";

/** A PostgreSQL whose URL stays the same through restarts. */
export type ChaosPostgres = {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  halt(): Promise<void>;
  resume(): Promise<void>;
  /** Freezes every process of the server; connections stay open without answers. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
};

export async function startPostgres(): Promise<ChaosPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "dueday-chaos-"));
  const dataDir = join(folder, "data");
  const proxy = await startTcpProxy();
  let server = await startEmbeddedPostgres({ dataDir });
  let pid = await postmasterOf(server.url);
  let frozen: number[] = [];
  proxy.pointAt(portOf(server.url));

  return {
    async createDatabase() {
      const name = `chaos_${crypto.randomUUID().replaceAll("-", "")}`;
      const sql = postgres(server.url, { max: 1 });
      await sql.unsafe(`create database ${name}`);
      await sql.end();
      const url = new URL(server.url);
      url.port = String(proxy.port);
      url.pathname = `/${name}`;
      return url.href;
    },
    halt: () => server.stop(),
    async resume() {
      server = await startEmbeddedPostgres({ dataDir });
      pid = await postmasterOf(server.url);
      proxy.pointAt(portOf(server.url));
    },
    freeze() {
      frozen = [pid, ...childrenOf(pid)];
      for (const each of frozen) process.kill(each, "SIGSTOP");
    },
    thaw() {
      for (const each of frozen) process.kill(each, "SIGCONT");
    },
    async stop() {
      await server.stop();
      await proxy.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function postmasterOf(url: string): Promise<number> {
  const sql = postgres(url, { max: 1 });
  const [row] = await sql<{ data_directory: string }[]>`show data_directory`;
  await sql.end();
  const [line] = (await readFile(join(row?.data_directory ?? "", "postmaster.pid"), "utf8")).split("\n");
  return Number(line);
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  return stdout.trim().split("\n").map(Number);
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
