import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { type ExitCode, exitCode, KeeperError } from "../keeperError";
import type { Head } from "../node/keeperNode";
import type { PlanAnswer } from "../plan/planSource";
import { summary } from "../plan/planText";
import { createWatch, type Watch } from "./createWatch";
import type { KeeperChain } from "./keeperChain";
import type { RoundEnd } from "./roundEnd";
import { sendPermits } from "./sendPermits";
import { settleRound } from "./settleRound";

export type KeepOptions = {
  /** Return when nothing more can be settled. */
  once: boolean;
  /** Pause between two polls while nothing is due. */
  intervalMs: number;
  /** Longest random pause before a backlog is settled, and unit of the pauses that leave it to another keeper. */
  windowMs: number;
  signal: AbortSignal;
};

/** What the keeper remembers between two polls of a chain. */
type State = {
  /** The last line about the plan. */
  printed: string;
  /** Why nothing was sent in the last round, so that it is logged once. */
  waitsFor: string;
  /** Block of this keeper's last transaction: an older plan is refused. */
  lastBlock: bigint | null;
  /** The keeper has begun the open backlog with its random pause. */
  isInBacklog: boolean;
  /** The keeper has lost a transaction to another keeper in this backlog. */
  hasLost: boolean;
  pollsWithoutProgress: number;
  /** Rounds in a row in which the plan did not agree with the node. */
  disagreements: number;
  /** Polls in a row that failed. */
  failures: number;
};

type Next = { end: ExitCode } | { pauseMs: number };

/** Pause while the plan does not yet show what was just settled. */
const CATCH_UP_MS = 1_000;
/** Longest pause before the gas price or the balance is read again. */
const RECHECK_MS = 60_000;
/** Shortest pause until midnight. On a chain without new blocks midnight stays near, and each poll counts in the limits of the API. */
const LEAST_POLL_MS = 15_000;
/** After this number of polls the keeper ends if it runs with `once`; otherwise it goes on at the usual interval. */
const MAX_POLLS_WITHOUT_PROGRESS = 60;
const MAX_FAILURES = 8;
/** Shortest pause after a failure, even where the other side asks for less. It doubles with each further one. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 300_000;
/** Plan and node may differ for a moment between two blocks; from this number on, the source of plans is wrong. */
const MAX_DISAGREEMENTS = 3;
const FAILURES_TO_REPORT = 3;
const MINUTE_MS = 60_000;

/** Polls the plan of one chain and settles what is due and worth it. Returns with `once`, or when `signal` aborts. */
export async function keepChain(chain: KeeperChain, options: KeepOptions): Promise<ExitCode> {
  const { clock, report } = chain;
  const { signal } = options;
  const watch = createWatch(chain);
  const state: State = {
    printed: "",
    waitsFor: "",
    lastBlock: null,
    isInBacklog: false,
    hasLost: false,
    pollsWithoutProgress: 0,
    disagreements: 0,
    failures: 0,
  };
  while (!signal.aborted) {
    try {
      const next = await poll(chain, options, { state, watch });
      state.failures = 0;
      report.resolve("failing", "the keeper works again");
      if ("end" in next) {
        watch.endBacklog();
        return next.end;
      }
      await clock.sleep(next.pauseMs);
    } catch (error) {
      if (!(error instanceof KeeperError)) throw error;
      if (signal.aborted) break;
      state.failures++;
      const end = onFailure(chain, options, { state, error });
      if ("end" in end) return end.end;
      await clock.sleep(end.pauseMs);
    }
  }
  return exitCode.DONE;
}

function onFailure(
  { report }: KeeperChain,
  { once, intervalMs }: KeepOptions,
  { state, error }: { state: State; error: KeeperError },
): Next {
  report.log("warn", error.message);
  report.status({ state: "failing", reason: error.message });
  // A daily limit of an API may be over only in many hours.
  const isLong = (error.retryAfterMs ?? 0) > MAX_RETRY_MS;
  if (state.failures === FAILURES_TO_REPORT || isLong) report.raise("failing", error.message);
  const isFinal = error.retryAfterMs === null || isLong || state.failures === MAX_FAILURES;
  if (once && isFinal) return { end: error.exitCode };
  const floorMs = Math.min(FIRST_RETRY_MS * 2 ** (state.failures - 1), MAX_RETRY_MS);
  return { pauseMs: Math.max(error.retryAfterMs ?? Math.min(intervalMs, RECHECK_MS), floorMs) };
}

type Memory = { state: State; watch: Watch };

/** Reads the plan once, and settles one round where something is due. */
async function poll(chain: KeeperChain, options: KeepOptions, { state, watch }: Memory): Promise<Next> {
  const { source, report, clock, suspension } = chain;
  const { once, intervalMs, windowMs } = options;
  const head = await watch.look();
  const polled = await source.poll(state.lastBlock);
  watch.notePlan(polled);
  notePrinted(chain, state, polled);
  const { readiness } = polled;
  if (!readiness.ready) {
    watch.noteDecision(null);
    if (readiness.reason === "blocked") return stopped(chain, options, { ...BLOCKED, reason: summary(readiness) });
    report.resolve("blocked", "remit() is not blocked any more");
    report.status({ state: "idle", reason: null });
    if (state.isInBacklog) watch.endBacklog();
    state.isInBacklog = false;
    state.hasLost = false;
    suspension.end();
    for (const incident of ["unexplained", "out_of_gas", "loss_limit", "disagrees"])
      report.resolve(incident, "the backlog is settled");
    state.pollsWithoutProgress = 0;
    return once ? { end: exitCode.DONE } : { pauseMs: Math.min(intervalMs, untilNextDay(head)) };
  }
  report.resolve("blocked", "remit() is not blocked any more");
  const suspended = suspension.of(readiness.nextUncheckedDay);
  if (suspended !== null) {
    const { text: reason, leftMs } = suspended;
    const text = `the backlog is left alone for ${Math.ceil(leftMs / MINUTE_MS)} minutes: ${reason}`;
    return stopped(chain, options, { ...UNEXPLAINED, reason, text, longestMs: leftMs });
  }
  if (!state.isInBacklog) {
    state.isInBacklog = true;
    watch.startBacklog();
    await clock.sleep(clock.random() * windowMs);
  }
  report.status({ state: "settling", reason: null });
  const plan = await source.read(state.lastBlock);
  // An API that keeps plans in memory can be seconds behind its own simulation.
  if (!plan.readiness.ready) return withoutProgress(options, state, CATCH_UP_MS);
  const permits = await sendPermits(chain, plan);
  if (permits.end !== null) return afterRound(chain, options, { state, watch, end: permits.end, sent: 0 });
  // Until the permits are mined, no plan contains what they save.
  const renewed = permits.sent.hashes.length === 0 ? plan : await source.read(permits.lastBlock);
  const round = await settleRound(chain, renewed, permits.sent);
  if (round.end.why !== "decided") state.waitsFor = "";
  if (round.sent > 0) {
    state.lastBlock = round.lastBlock;
    state.pollsWithoutProgress = 0;
    state.disagreements = 0;
    report.resolve("out_of_gas", "there is ether for the gas again");
    report.resolve("loss_limit", "transactions are sent again");
    report.resolve("disagrees", "the API agrees with the keeper's own node again");
  }
  return afterRound(chain, options, { state, watch, end: round.end, sent: round.sent });
}

type RoundFacts = Memory & { end: RoundEnd; sent: number };

function afterRound(chain: KeeperChain, options: KeepOptions, { state, watch, end, sent }: RoundFacts): Next {
  const { report } = chain;
  const { once, intervalMs, windowMs } = options;
  if (end.why !== "decided") watch.noteDecision(null);
  switch (end.why) {
    case "done":
      return sent > 0 ? { pauseMs: 0 } : withoutProgress(options, state, CATCH_UP_MS);
    case "decided":
      return decided(chain, options, { state, watch, end });
    case "out_of_gas":
      return stopped(chain, options, { ...OUT_OF_GAS, reason: end.text });
    case "overtaken":
    case "lost": {
      state.hasLost ||= end.why === "lost";
      if (end.why === "overtaken") report.log("info", end.text);
      if (once && end.why === "lost") return { end: exitCode.TRANSACTION_FAILED };
      // The other keeper gets the time to finish, and more after a loss, so that no backlog costs two lost transactions.
      const waits = (state.hasLost ? 3 : 1) + chain.clock.random();
      return withoutProgress(options, state, Math.max(CATCH_UP_MS, windowMs * waits));
    }
    case "unexplained":
      // After two unexplained transactions, the next poll finds the backlog suspended.
      return once ? { end: exitCode.TRANSACTION_FAILED } : { pauseMs: CATCH_UP_MS };
    case "changed":
      report.log("info", end.text);
      return sent > 0 ? { pauseMs: 0 } : withoutProgress(options, state, CATCH_UP_MS);
    case "failed":
      report.log("warn", end.text);
      if (once) return { end: exitCode.TRANSACTION_FAILED };
      return withoutProgress(options, state, Math.min(intervalMs, RECHECK_MS));
    case "disagrees": {
      state.disagreements++;
      if (state.disagreements < MAX_DISAGREEMENTS) return { pauseMs: CATCH_UP_MS };
      state.disagreements = 0;
      report.raise("disagrees", `nothing was signed: ${end.text}`);
      return once ? { end: exitCode.REFUSED } : { pauseMs: intervalMs };
    }
  }
}

type Decided = Memory & { end: Extract<RoundEnd, { why: "decided" }> };

function decided(chain: KeeperChain, options: KeepOptions, { state, watch, end }: Decided): Next {
  const { decision } = end;
  const { report } = chain;
  watch.noteDecision(decision);
  if (decision.action === "stop") {
    const { why, reason } = decision;
    if (why === "out_of_gas") return stopped(chain, options, { ...OUT_OF_GAS, reason });
    if (why === "loss_limit")
      return stopped(chain, options, { ...LOSS_LIMIT, reason, text: `nothing is sent: ${reason}` });
    return stopped(chain, options, { ...BLOCKED, reason });
  }
  if (decision.why === "idle") return withoutProgress(options, state, CATCH_UP_MS);
  if (decision.why !== state.waitsFor) report.log("info", `nothing is sent: ${decision.reason}`, { why: decision.why });
  state.waitsFor = decision.why;
  report.status({ state: "waiting", reason: decision.reason });
  return options.once ? { end: exitCode.UNPROFITABLE } : { pauseMs: Math.min(options.intervalMs, RECHECK_MS) };
}

/** `text` is that of the incident; default: the reason. `longestMs`: the plan is read again after this time at the latest. */
type Stop = { incident: string; end: ExitCode; reason: string; text?: string; longestMs?: number };

const BLOCKED = { incident: "blocked", end: exitCode.BLOCKED };
const OUT_OF_GAS = { incident: "out_of_gas", end: exitCode.OUT_OF_GAS, longestMs: RECHECK_MS };
/** A loss counts for one day. */
const LOSS_LIMIT = { incident: "loss_limit", end: exitCode.TRANSACTION_FAILED };
const UNEXPLAINED = { incident: "unexplained", end: exitCode.TRANSACTION_FAILED };

/** Nothing is sent until the operator, time or another keeper has changed something. */
function stopped({ report }: KeeperChain, { once, intervalMs }: KeepOptions, stop: Stop): Next {
  const { incident, end, reason, text = reason, longestMs = intervalMs } = stop;
  report.raise(incident, text);
  report.status({ state: "stopped", reason });
  return once ? { end } : { pauseMs: Math.min(intervalMs, longestMs) };
}

/** Polls again soon, and after a while at the usual interval, because the plan may stay wrong for a long time. */
function withoutProgress({ once, intervalMs }: KeepOptions, state: State, pauseMs: number): Next {
  state.pollsWithoutProgress++;
  if (state.pollsWithoutProgress < MAX_POLLS_WITHOUT_PROGRESS) return { pauseMs };
  if (once) throw new KeeperError(exitCode.UNREACHABLE, "the plan stays behind the chain");
  return { pauseMs: intervalMs };
}

function notePrinted({ report }: KeeperChain, state: State, { readiness, stale }: PlanAnswer): void {
  const line = `${summary(readiness)}${stale ? " (stale: the service does not follow the chain)" : ""}`;
  if (line !== state.printed) report.log("info", line);
  state.printed = line;
}

/** Milliseconds until midnight UTC by the chain's clock: what becomes due then is settled soon, not an interval later. */
function untilNextDay({ timestamp }: Head): number {
  return Math.max(LEAST_POLL_MS, (DAY_SECONDS - (timestamp % DAY_SECONDS) + 1) * 1000);
}
