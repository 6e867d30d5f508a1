import { closeSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { makeProcessFolder, removeAbandonedFolders } from "@dueday/db/embedded/processFolder";
import { findProgram, programs } from "./ensureProgram";

/** A Redis on a unix socket that stores nothing on disk. */
export type RedisServer = {
  /** The path of its socket. */
  path: string;
  /** Ends it as a crash does; its data is lost. */
  kill(): Promise<void>;
  /** Starts it again, empty, on the same socket. */
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
};

const FOLDER = "dueday-redis-";
const START_DEADLINE_MS = 60_000;

/** Starts a Redis that the caller may stop, freeze or empty. */
export async function startRedis(): Promise<RedisServer> {
  const binary = findProgram(programs.redis);
  if (binary === null) throw new Error("no redis-server or valkey-server on the PATH");
  await removeAbandonedFolders(FOLDER);
  const folder = await makeProcessFolder(FOLDER);
  const path = join(folder, "redis.sock");
  let child = await launch(binary, folder, path);

  const kill = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return {
    path,
    kill,
    async start() {
      child = await launch(binary, folder, path);
    },
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(binary: string, folder: string, path: string) {
  await rm(path, { force: true });
  const log = openSync(join(folder, "log"), "w");
  const flags = ["--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no", "--dir", folder];
  const child = Bun.spawn([binary, ...flags, "--maxmemory-policy", "noeviction"], {
    stdin: "ignore",
    stdout: log,
    stderr: log,
  });
  closeSync(log);
  const deadline = performance.now() + START_DEADLINE_MS;
  while (!(await answers(path))) {
    if (child.exitCode === null && performance.now() < deadline) {
      await Bun.sleep(5);
      continue;
    }
    child.kill("SIGKILL");
    throw new Error(`redis did not start: ${(await Bun.file(join(folder, "log")).text()).slice(-500)}`);
  }
  return child;
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
