import { readFile, writeFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { describeError } from "@dueday/config/describeError";
import manifest from "../package.json";
import { systemClock } from "./clock";
import { configTemplate } from "./config/configTemplate";
import { helpText } from "./config/helpText";
import { CONFIG_FILE, type LoadedSettings, loadSettings } from "./config/loadSettings";
import { type Flags, readFlags } from "./config/readFlags";
import { type ExitCode, exitCode, KeeperError } from "./keeperError";
import { createKeeperLog, type KeeperLog } from "./report/keeperLog";
import { checkChains } from "./run/checkChains";
import { dryRun } from "./run/dryRun";
import { runKeeper } from "./runKeeper";

/** The keeper ends at most this long after SIGTERM. Interrupted work is not lost: the next start reads the state from the chain. */
const STOP_WITHIN_MS = 1_000;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function run(flags: Flags): Promise<ExitCode> {
  if (flags.command === "help") print(helpText);
  else if (flags.command === "version") print(`dueday-keeper ${manifest.version}`);
  else if (flags.command === "init") await writeTemplate();
  else return flags.command === "health" ? checkHealth(flags) : runWithSettings(flags);
  return exitCode.DONE;
}

/** `keeper health`, for containers: their image has no other program that could request /health. */
async function checkHealth(flags: Flags): Promise<ExitCode> {
  const { settings } = await loadSettings(flags, process.env);
  const { port, host } = settings.metrics;
  if (port === null)
    throw new KeeperError(exitCode.SETTINGS, "--metrics-port is missing: the port of the keeper to ask");
  const address = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : isIPv6(host) ? `[${host}]` : host;
  try {
    const response = await fetch(`http://${address}:${port}/health`, { signal: AbortSignal.timeout(STOP_WITHIN_MS) });
    print(await response.text());
    return response.ok ? exitCode.DONE : exitCode.UNREACHABLE;
  } catch {
    throw new KeeperError(exitCode.UNREACHABLE, `no keeper answers on ${address}:${port}`);
  }
}

async function writeTemplate(): Promise<void> {
  try {
    await writeFile(CONFIG_FILE, configTemplate, { flag: "wx", mode: 0o600 });
  } catch {
    throw new KeeperError(
      exitCode.SETTINGS,
      `${CONFIG_FILE} exists already, or the current folder can't be written to`,
    );
  }
  print(`wrote ${CONFIG_FILE}: edit it, then run keeper config check`);
}

async function runWithSettings(flags: Flags): Promise<ExitCode> {
  const loaded = await loadSettings(flags, process.env);
  // A crash report or a child process must not find the key.
  delete process.env.KEEPER_PRIVATE_KEY;
  const form = loaded.settings.log ?? (process.stdout.isTTY ? "pretty" : "json");
  const log = createKeeperLog({ form, secrets: loaded.secrets });
  if (flags.command === "check") return checkChains(loaded, print);
  if (flags.dryRun) return dryRun(loaded, print);
  await warnAboutCoreDumps(log);
  return keep(loaded, log);
}

async function keep({ settings, account }: LoadedSettings, log: KeeperLog): Promise<ExitCode> {
  if (account === null) throw new Error("loadSettings requires a key for anything but a dry run");
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      stop.abort();
      log("info", `${signal}: the keeper ends`);
      setTimeout(() => process.exit(exitCode.DONE), STOP_WITHIN_MS);
    });
  }
  try {
    return await runKeeper({ settings, account, log, clock: systemClock(stop.signal), signal: stop.signal });
  } catch (error) {
    if (error instanceof KeeperError) throw error;
    log("error", "the keeper ends after an unexpected error", { error: JSON.stringify(describeError(error)) });
    return exitCode.INTERNAL;
  }
}

/** A core dump contains the key. */
async function warnAboutCoreDumps(log: KeeperLog): Promise<void> {
  // Only Linux has the file.
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  if (/^Max core file size +(?!0 )/m.test(limits)) {
    log(
      "warn",
      "core dumps are on: a crash could write the key to disk; start the keeper with ulimit -c 0 (LimitCORE=0)",
    );
  }
}

try {
  const flags = readFlags(process.argv.slice(2));
  if ("faults" in flags) throw new KeeperError(exitCode.SETTINGS, flags.faults.join("\n"));
  process.exit(await run(flags));
} catch (error) {
  const isKnown = error instanceof KeeperError;
  process.stderr.write(`${isKnown ? error.message : JSON.stringify(describeError(error))}\n`);
  process.exit(isKnown ? error.exitCode : exitCode.INTERNAL);
}
