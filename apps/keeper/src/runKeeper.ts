import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { createRegistry } from "@dueday/metrics/createRegistry";
import { type MetricsServer, startMetricsServer } from "@dueday/metrics/startMetricsServer";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Clock } from "./clock";
import type { ChainSettings, KeeperSettings } from "./config/parseSettings";
import { type ExitCode, exitCode, KeeperError } from "./keeperError";
import { keeperMetrics } from "./keeperMetrics";
import { createNotifier, type Notifier } from "./report/createNotifier";
import { createReports, type Reports } from "./report/createReports";
import { healthPage } from "./report/healthPage";
import type { KeeperLog } from "./report/keeperLog";
import { createKeeperChain } from "./run/createKeeperChain";
import { keepChain } from "./run/keepChain";
import type { KeeperChain } from "./run/keeperChain";
import { noTotals, subtractTotals, type Totals } from "./run/ledger";
import { openChain } from "./run/openChain";

export type RunOptions = {
  settings: KeeperSettings;
  account: PrivateKeyAccount;
  log: KeeperLog;
  clock: Clock;
  signal: AbortSignal;
  /** For messages; default: JSON over HTTP. */
  post?: (url: string, body: string) => Promise<void>;
};

const DAY_MS = DAY_SECONDS * 1000;
/** Time without a plan that a round of sending may take. */
const SETTLING_MS = 5 * 60_000;
const SUMMARY_CHECK_MS = 2_000;
const FIRST_RETRY_MS = 1_000;
/** The pause after the third failure, which is reported. */
const REPORTED_RETRY_MS = 4_000;
const MAX_RETRY_MS = 60_000;

/** Serves all configured chains until `signal` aborts; with `once`, until nothing more can be settled on any. @returns the exit code */
export async function runKeeper(options: RunOptions): Promise<ExitCode> {
  const { settings, account, log, clock, signal } = options;
  const notifier = createNotifier({
    urls: settings.notify.urls,
    clock,
    log,
    ...(options.post !== undefined && { post: options.post }),
  });
  const reports = createReports({ log, notifier });
  const open: KeeperChain[] = [];
  const registry = createRegistry();
  keeperMetrics(registry, { chains: () => open, statusOf: reports.statusOf, notifier, clock });
  const health = healthPage({
    statuses: reports.statuses,
    chainCount: settings.chains.length,
    clock,
    staleAfterMs: 3 * settings.intervalMs + SETTLING_MS,
  });
  const server = serve(() =>
    startMetricsServer({ registry, ...settings.metrics, pages: [{ path: "/health", answer: health }] }),
  );
  if (server.url !== null) log("info", "metrics are served", { url: server.url });
  const ended = new AbortController();
  const inBackground = AbortSignal.any([ended.signal, signal]);
  const background = [notifier.run(inBackground), summarizeDaily(options, { open, notifier, signal: inBackground })];
  try {
    const chains = settings.chains.map(async (chain): Promise<ExitCode> => {
      const opened = await openWhenReachable(chain, options, { reportFor: reports.reportFor, notifier });
      if (opened === null) return exitCode.DONE;
      open.push(opened);
      opened.report.log("info", `keeper ${account.address} on chain ${opened.chainId}, contract ${opened.contract}`);
      if (!settings.once) opened.report.announce(`started: keeper ${account.address}`);
      return keepChain(opened, { ...settings, signal });
    });
    const codes = await Promise.all(chains);
    return codes.toSorted((a, b) => b - a)[0] ?? exitCode.DONE;
  } finally {
    ended.abort();
    await Promise.all(background);
    await server.stop();
  }
}

function serve(start: () => MetricsServer): MetricsServer {
  try {
    return start();
  } catch {
    throw new KeeperError(
      exitCode.SETTINGS,
      "the port for metrics (metrics.port, --metrics-port) is in use, or not allowed",
    );
  }
}

/** Waits for a node that can't be reached yet, unless with `once`. Null when the keeper ends meanwhile. */
async function openWhenReachable(
  chain: ChainSettings,
  options: RunOptions,
  { reportFor, notifier }: Pick<Reports, "reportFor"> & { notifier: Notifier },
): Promise<KeeperChain | null> {
  const { settings, account, log, clock, signal } = options;
  const incident = `start ${chain.chainId}`;
  for (let pauseMs = FIRST_RETRY_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS)) {
    try {
      const opened = await openChain(chain, settings, account.address);
      notifier.resolve(incident, `over: the node of chain ${opened.chainId} answers`);
      return createKeeperChain(opened, { account, settings, clock, report: reportFor(opened.chainId) });
    } catch (error) {
      if (!(error instanceof KeeperError) || error.exitCode !== exitCode.UNREACHABLE || settings.once) throw error;
      log("warn", error.message);
      if (pauseMs >= REPORTED_RETRY_MS) notifier.raise(incident, error.message);
      await clock.sleep(pauseMs);
    }
  }
  return null;
}

type Summary = { open: readonly KeeperChain[]; notifier: Notifier; signal: AbortSignal };

/** One message when a UTC day has ended: what was settled and earned on each chain, and which incidents last. */
async function summarizeDaily({ clock, log }: RunOptions, { open, notifier, signal }: Summary): Promise<void> {
  const dayOf = () => Math.floor(clock.wall() / DAY_MS);
  const before = new Map<number, Totals>();
  for (let day = dayOf(); !signal.aborted; ) {
    await clock.sleep(SUMMARY_CHECK_MS);
    if (dayOf() <= day) continue;
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    day = dayOf();
    for (const { chainId, ledger, tokens } of open) {
      const totals = ledger.totals();
      const text = `summary of ${date}: ${tokens.totals(subtractTotals(totals, before.get(chainId) ?? noTotals))}`;
      before.set(chainId, totals);
      log("info", text, { chainId });
      notifier.announce(`[${chainId}] ${text}`);
    }
    for (const incident of notifier.existing()) notifier.announce(`summary of ${date}: still open: ${incident}`);
  }
}
