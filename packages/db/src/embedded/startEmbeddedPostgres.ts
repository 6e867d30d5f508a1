import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { waitFor } from "../waitFor";
import { checkVersion, clearLeftover, readServerState } from "./clusterFiles";
import { freePort } from "./freePort";
import { locateBinaries, type PostgresBinaries } from "./locateBinaries";
import { lockFolder } from "./lockFolder";
import { placeHome } from "./placeHome";
import { type ServerUser, serverUser } from "./serverUser";
import { hasEnded, type ShutdownMode, stopServer } from "./stopServer";
import { type Supervision, superviseServer } from "./superviseServer";

export const MAJOR_VERSION = "18";
/** The options of initdb that decide what a cluster contains. */
export const INITDB_OPTIONS = [
  "--username=postgres",
  "--auth=scram-sha-256",
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
];
const START_TIMEOUT_MS = 60_000;
const START_ATTEMPTS = 20;

export type EmbeddedPostgresOptions = {
  /** A folder for the database only; created if missing. */
  dataDir: string;
  /** The data is written without fsync and removed by `stop()`. Default false. */
  temporary?: boolean;
  /** A stopped server's folder, to be copied with its password. For temporary servers. Default: a new, empty cluster. */
  template?: string;
  /** Where the programs are copied if the server's user can't use those of the npm package. Default: the database's folder. */
  cacheDir?: string;
  /** Restart a server that ends by itself, on the same port. Default: it stays down. */
  supervision?: Supervision;
};

export type EmbeddedPostgres = {
  /** Connection URL with the password; must not be logged. */
  url: string;
  /** Stops the server and unlocks the folder; later calls do nothing. */
  stop(): Promise<void>;
};

/** Parameters of every step of a start. */
type Cluster = {
  home: string;
  folder: string;
  user: ServerUser | null;
  binaries: PostgresBinaries;
  password: string;
  temporary: boolean;
};

/**
 * Starts a private PostgreSQL on a folder, listening on a free port of 127.0.0.1 with a generated password. The first start creates
 * the cluster. If this process is root, the server runs as the user `nobody`. A server left behind by a killed process is stopped first.
 *
 * @throws Error if another process has locked the folder, if this platform has no package, or, with the last lines of the log, if the
 * server does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const temporary = options.temporary ?? false;
  const user = serverUser();
  const home = await placeHome(options.dataDir, user, temporary);
  const lock = await lockFolder(home);
  try {
    const binaries = await locateBinaries(options.cacheDir ?? home, user);
    const folder = join(home, "cluster");
    if (options.template !== undefined) await copyTemplate(options.template, home);
    const cluster: Cluster = { home, folder, user, binaries, temporary, password: await readPassword(home, user) };
    await clearLeftover(folder);
    // Restarts append to the log, so that it keeps the cause of the first failure.
    await writeFile(logOf(home), "");
    await initialize(cluster);
    await checkVersion(folder, MAJOR_VERSION);
    const { server: first, port } = await startServer(cluster);
    const { supervision } = options;
    const restart = async () => {
      await clearLeftover(folder);
      return (await startServer(cluster, port)).server;
    };
    const supervised = supervision === undefined ? null : superviseServer(first, supervision, restart);
    let stopping: Promise<void> | undefined;
    const stop = async () => {
      try {
        const server = (await supervised?.release()) ?? first;
        if (!hasEnded(server)) await endServer(server, temporary ? "immediate" : "fast");
      } finally {
        lock.release();
        if (temporary) await rm(home, { recursive: true, force: true });
      }
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

/** Copies owners and modes too, because PostgreSQL refuses a cluster of another user. */
async function copyTemplate(template: string, home: string): Promise<void> {
  const sources = ["cluster", "password"].map((name) => join(template, name));
  const copy = spawn("cp", ["-a", ...sources, home], { stdio: ["ignore", "ignore", "pipe"] });
  const messages = text(copy.stderr);
  if ((await exitCodeOf(copy)) !== 0) throw new Error(`the template of the database was not copied: ${await messages}`);
}

async function readPassword(home: string, user: ServerUser | null): Promise<string> {
  const path = join(home, "password");
  const stored = await readFile(path, "utf8").catch(() => "");
  const password = stored === "" ? crypto.randomUUID().replaceAll("-", "") : stored;
  if (stored === "") await writeFile(path, password, { mode: 0o600 });
  // A file from a backup or another tool may have another mode or owner.
  await chmod(path, 0o600);
  await give(path, user);
  return password;
}

/**
 * Creates the cluster under another name and renames it, so that an interrupted initdb is not mistaken for a complete
 * cluster.
 */
async function initialize(cluster: Cluster): Promise<void> {
  if (await Bun.file(join(cluster.folder, "PG_VERSION")).exists()) return;
  const unfinished = join(cluster.home, "cluster-unfinished");
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await give(unfinished, cluster.user);
  const options = ["-D", unfinished, `--pwfile=${join(cluster.home, "password")}`, ...INITDB_OPTIONS];
  const sync = cluster.temporary ? ["--no-sync"] : [];
  const initdb = await run(cluster, cluster.binaries.initdb, [...options, ...sync]);
  if ((await exitCodeOf(initdb)) !== 0) throw new Error(`initdb failed: ${await lastLines(cluster, 0)}`);
  await rename(unfinished, cluster.folder);
}

/** Retries if the chosen port was taken meanwhile, or the sessions of a killed server have not ended yet. */
async function startServer(cluster: Cluster, fixedPort?: number): Promise<{ server: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = fixedPort ?? (await freePort());
    const logged = Bun.file(logOf(cluster.home)).size;
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
    // All new lines are searched, because sessions of a killed server that end meanwhile write to the same log.
    const isTemporary = /could not (bind|create any TCP)|pre-existing shared memory/.test(
      await logFrom(cluster, logged),
    );
    if (!isTemporary || attempt === START_ATTEMPTS)
      throw new Error(`the embedded PostgreSQL did not start: ${await lastLines(cluster, logged)}`);
  }
}

async function endServer({ pid }: ChildProcess, mode: ShutdownMode): Promise<void> {
  if (pid !== undefined) await stopServer(pid, mode);
}

function serverSettings({ temporary }: Cluster, port: number): string[] {
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    // The path of a socket is limited to 107 bytes; the path of the data folder may be longer.
    "unix_socket_directories=",
    "timezone=UTC",
    // Without this, the log would contain the values of failed statements.
    "log_min_error_statement=panic",
    ...(temporary ? ["fsync=off", "synchronous_commit=off", "full_page_writes=off"] : []),
  ];
  return settings.flatMap((setting) => ["-c", setting]);
}

/**
 * Runs a program as the server's user, in a separate session, so that Ctrl-C reaches only the service, which then stops it.
 */
async function run({ home, user }: Cluster, program: string, args: string[]): Promise<ChildProcess> {
  const log = await open(logOf(home), "a");
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
  if (!hasEnded(child)) {
    // A process that waits only for an unreferenced child keeps a core busy.
    child.ref();
    await once(child, "exit");
  }
  return child.exitCode;
}

/** The last lines of the log after its first `from` bytes. */
async function lastLines(cluster: Cluster, from: number): Promise<string> {
  return (await logFrom(cluster, from)).trim().split("\n").slice(-5).join(" | ");
}

async function logFrom({ home }: Cluster, from: number): Promise<string> {
  return (await readFile(logOf(home))).toString("utf8", from);
}

function logOf(home: string): string {
  return join(home, "server.log");
}

async function give(path: string, user: ServerUser | null): Promise<void> {
  if (user !== null) await chown(path, user.uid, user.gid);
}
