import type { Readiness } from "./api";
import { type ExitCode, exitCode, KeeperError } from "./keeperError";
import { summary } from "./planTable";
import { type SettleOptions, settleBacklog } from "./settleBacklog";

export type KeepOptions = SettleOptions & {
  once: boolean;
  /** Pause between two polls while nothing is due. */
  intervalMs: number;
};

/** What the keeper remembers between two polls. */
type State = {
  known: Readiness | null;
  /** The last line about the plan. */
  printed: string;
  /** Block of its own last transaction: an older plan is ignored. */
  lastBlock: bigint;
  /** Polls in a row that found something due and settled nothing. */
  pollsWithoutProgress: number;
  /** Polls in a row that failed. */
  failures: number;
};

/** Pause while the service has not yet seen what was just settled, by this keeper or another. */
const CATCH_UP_MS = 2_000;
/** With `once`, the keeper ends after so many. */
const MAX_POLLS_WITHOUT_PROGRESS = 60;
const MAX_FAILURES = 8;
/** Shortest pause after a failure, even where Retry-After allows less. It doubles with each further one, up to 5 minutes. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_FLOOR_MS = 300_000;

/** Polls the plan and settles what is due. Returns only with `once`, or when the API returned something that is not to be signed. */
export async function keep(options: KeepOptions): Promise<ExitCode> {
  const { once, intervalMs, print, sleep } = options;
  const state: State = { known: null, printed: "", lastBlock: 0n, pollsWithoutProgress: 0, failures: 0 };
  for (;;) {
    try {
      const next = await poll(options, state);
      state.failures = 0;
      if ("end" in next) return next.end;
      await sleep(next.pauseMs);
    } catch (error) {
      if (!(error instanceof KeeperError)) throw error;
      print(error.message);
      state.failures++;
      const isFinal = once && (error.retryAfterMs === null || state.failures === MAX_FAILURES);
      if (isFinal || error.exitCode === exitCode.REFUSED) return error.exitCode;
      const floorMs = Math.min(FIRST_RETRY_MS * 2 ** (state.failures - 1), MAX_RETRY_FLOOR_MS);
      await sleep(Math.max(error.retryAfterMs ?? intervalMs, floorMs));
    }
  }
}

/** Reads the plan once, and settles one round where something is due. */
async function poll(options: KeepOptions, state: State): Promise<{ end: ExitCode } | { pauseMs: number }> {
  const { api, once, intervalMs, print } = options;
  const readiness = await api.readiness(state.known);
  state.known = readiness;
  if (readiness.blockNumber < state.lastBlock) return waitForService(options, state);
  const line = `${summary(readiness.plan)}${readiness.stale ? " (stale: the service does not follow the chain)" : ""}`;
  if (line !== state.printed) print(line);
  state.printed = line;
  if (!readiness.plan.ready) {
    if (!once) return { pauseMs: intervalMs };
    return { end: readiness.plan.reason === "blocked" ? exitCode.BLOCKED : exitCode.DONE };
  }
  const round = await settleBacklog(options, readiness.plan);
  if (round.transactions === 0) return waitForService(options, state);
  state.lastBlock = round.lastBlock;
  state.pollsWithoutProgress = 0;
  return { pauseMs: 0 };
}

/** Polls again soon, and after a while at the usual interval: the service may be down for long. */
function waitForService({ once, intervalMs }: KeepOptions, state: State): { pauseMs: number } {
  state.pollsWithoutProgress++;
  if (state.pollsWithoutProgress < MAX_POLLS_WITHOUT_PROGRESS) return { pauseMs: Math.min(CATCH_UP_MS, intervalMs) };
  if (once) throw new KeeperError(exitCode.UNREACHABLE, "the service's plan does not follow the chain");
  return { pauseMs: intervalMs };
}
