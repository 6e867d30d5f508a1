import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { waitFor } from "../waitFor";
import { checkVersion, clearLeftover, readServerState } from "./clusterFiles";
import { freePort } from "./freePort";
import { locateBinaries, type PostgresBinaries } from "./locateBinaries";
import { lockFolder } from "./lockFolder";
import { placeHome } from "./placeHome";
import { type ServerUser, serverUser } from "./serverUser";
import { type ShutdownMode, stopServer } from "./stopServer";

const MAJOR_VERSION = "18";
const START_TIMEOUT_MS = 60_000;
const START_ATTEMPTS = 20;

export type EmbeddedPostgresOptions = {
  /** A folder for the database alone; made if missing. */
  dataDir: string;
  /** The data need not outlive `stop()`: written without waiting for the disk, and removed by `stop()`. Default false. */
  temporary?: boolean;
};

export type EmbeddedPostgres = {
  /** Connection URL with its password: for the drivers only, never for a log. */
  url: string;
  /** Ends the server and frees the folder; later calls do nothing. */
  stop(): Promise<void>;
};

/** What every step of a start has to know. */
type Cluster = {
  home: string;
  folder: string;
  user: ServerUser | null;
  binaries: PostgresBinaries;
  password: string;
  temporary: boolean;
};

/**
 * Starts a private PostgreSQL on a folder, listening on a free port of 127.0.0.1 with a password of its own. The first start
 * makes the cluster. As root the server runs as nobody. A server left behind on the folder by a killed process is stopped first.
 *
 * @throws Error when another process has the folder, when this platform has no package, or with the server's own last words.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const temporary = options.temporary ?? false;
  const user = serverUser();
  const home = await placeHome(options.dataDir, user, temporary);
  const lock = await lockFolder(home);
  try {
    const binaries = await locateBinaries(home, user);
    const folder = join(home, "cluster");
    const cluster: Cluster = { home, folder, user, binaries, temporary, password: await readPassword(home, user) };
    await clearLeftover(folder);
    await initialize(cluster);
    await checkVersion(folder, MAJOR_VERSION);
    const { server, port } = await startServer(cluster);
    let stopping: Promise<void> | undefined;
    const stop = async () => {
      if (!hasEnded(server)) await endServer(server, temporary ? "immediate" : "fast");
      lock.release();
      if (temporary) await rm(home, { recursive: true, force: true });
    };
    return {
      url: `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres`,
      stop() {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function readPassword(home: string, user: ServerUser | null): Promise<string> {
  const path = join(home, "password");
  const kept = await readFile(path, "utf8").catch(() => null);
  if (kept !== null && kept !== "") return kept;
  const password = crypto.randomUUID().replaceAll("-", "");
  await writeFile(path, password, { mode: 0o600 });
  await give(path, user);
  return password;
}

/** Makes the cluster under another name first: one that was interrupted half way is never taken for a whole one. */
async function initialize(cluster: Cluster): Promise<void> {
  if (await Bun.file(join(cluster.folder, "PG_VERSION")).exists()) return;
  const unfinished = join(cluster.home, "cluster-unfinished");
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await give(unfinished, cluster.user);
  const options = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${join(cluster.home, "password")}`];
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const sync = cluster.temporary ? ["--no-sync"] : [];
  const initdb = await run(cluster, cluster.binaries.initdb, ["-D", unfinished, ...options, ...locale, ...sync]);
  if ((await exitCodeOf(initdb)) !== 0) throw new Error(`initdb failed: ${await lastWords(cluster)}`);
  await rename(unfinished, cluster.folder);
}

/** Tries again while the chosen port was taken meanwhile, or the sessions of a killed server have not yet ended. */
async function startServer(cluster: Cluster): Promise<{ server: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const server = await run(cluster, cluster.binaries.postgres, [
      "-D",
      cluster.folder,
      ...serverSettings(cluster, port),
    ]);
    const isReady = async () => {
      const state = await readServerState(cluster.folder);
      return state?.pid === server.pid && state?.ready === true;
    };
    await waitFor(async () => hasEnded(server) || (await isReady()), START_TIMEOUT_MS);
    if (!hasEnded(server) && (await isReady())) return { server, port };
    if (!hasEnded(server)) await endServer(server, "fast");
    const words = await lastWords(cluster);
    const mayPass = /could not (bind|create any TCP)|pre-existing shared memory/.test(words);
    if (!mayPass || attempt === START_ATTEMPTS) throw new Error(`the embedded PostgreSQL did not start: ${words}`);
  }
}

/** Asked before any signal is sent: the number of a process that ended may be another's by now. */
function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function endServer({ pid }: ChildProcess, mode: ShutdownMode): Promise<void> {
  if (pid !== undefined) await stopServer(pid, mode);
}

function serverSettings({ temporary }: Cluster, port: number): string[] {
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    // A socket's path may have 107 bytes only, a data folder may lie deeper.
    "unix_socket_directories=",
    "timezone=UTC",
    // The log would hold the values of refused statements.
    "log_min_error_statement=panic",
    ...(temporary ? ["fsync=off", "synchronous_commit=off", "full_page_writes=off"] : []),
  ];
  return settings.flatMap((setting) => ["-c", setting]);
}

/** Runs a program as the server's user, in a session of its own: Ctrl-C in the terminal is for the service, which stops it. */
async function run({ home, user }: Cluster, program: string, args: string[]): Promise<ChildProcess> {
  const log = await open(join(home, "server.log"), "w");
  try {
    const child = spawn(program, args, {
      ...user,
      cwd: home,
      detached: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", log.fd, log.fd],
    });
    await once(child, "spawn");
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  if (!hasEnded(child)) await once(child, "exit");
  return child.exitCode;
}

async function lastWords({ home }: Cluster): Promise<string> {
  const log = await readFile(join(home, "server.log"), "utf8");
  return log.trim().split("\n").slice(-5).join(" | ");
}

async function give(path: string, user: ServerUser | null): Promise<void> {
  if (user !== null) await chown(path, user.uid, user.gid);
}
