import { createBatchSize } from "./createBatchSize";
import { type ClockBound, createBlockJudge } from "./createBlockJudge";
import { createCallQueue } from "./createCallQueue";
import { createNodeFeatures } from "./createNodeFeatures";
import { createRateLimit } from "./createRateLimit";
import { type BatchOutcome, type ExchangedCalls, exchangeCalls } from "./exchangeCalls";
import { fitsMethod } from "./fitsMethod";
import type { PostTarget } from "./postJson";
import type { RpcCall, RpcFailure, RpcOutcome } from "./rpcOutcome";

const CHAIN_ID_CALL: RpcCall = { method: "eth_chainId", params: [] };
/** The most characters of parameters in one HTTP request of several calls: nodes accept 2 MiB or more. */
const BATCH_LENGTH = 1_000_000;
/** By priority, how many HTTP requests may be under way at a time: lower priorities leave room for higher ones. */
const MOST_IN_FLIGHT = [16, 12, 10, 6];
/** How long a URL that failed is tried after all others. */
const RESTING_MS = 5_000;
/** Interval at which waiting calls are checked, to end those whose deadline has passed. */
const LOOK_MS = 250;

/** One attempt at a call, as the endpoint reports it. */
export type Attempt = { call: RpcCall; outcome: RpcOutcome; milliseconds: number; bytes: number };

export type SendOptions = {
  /** See `priorities`. */
  priority: number;
  /** Time of the endpoint's clock after which the call is not sent any more. */
  deadline: number;
  /** Deadline of one HTTP exchange. */
  requestTimeoutMs: number;
  /** Called for each attempt, those of checks that this call caused included. */
  onAttempt(attempt: Attempt): void;
};

/** One RPC URL, with what is known about the node behind it. */
export type Endpoint = {
  /** Place in the list of URLs. */
  readonly index: number;
  /** Sends a call, together with others of the same turn where the node takes batches. Never throws. */
  send(call: RpcCall, options: SendOptions): Promise<RpcOutcome>;
  isResting(): boolean;
  /** Estimated milliseconds that a new call would wait before it is sent. */
  waitMs(): number;
  /** Whether the node was found to lack the method or the overrides of this call, some minutes ago at most. */
  lacks(call: RpcCall): boolean;
  /** The most calls a second that are sent to the node; null where no limit is known. */
  callsPerSecond(): number | null;
  /** The most calls in one HTTP request. */
  batchSize(): number;
};

export type EndpointOptions = {
  chainId: number;
  /** Longest answer that is read. */
  maxBytes: number;
  /** No bound by default: a development chain travels in time. */
  clockBound?: ClockBound | undefined;
  /** Milliseconds, from any start; never set back. */
  clock: () => number;
};

type Waiting = SendOptions & {
  call: RpcCall;
  length: number;
  /** The call must not be sent together with others. */
  alone: boolean;
  settle(outcome: RpcOutcome): void;
};

/**
 * An endpoint sends its calls at the rate and in the batches that the node accepts; both are learned. Calls wait in a queue by
 * priority.
 *
 * The node's chain id is checked before its answers are used: with the first request, after each failure, and with each head,
 * since later reads are pinned to that head. A URL may lead to another node from one request to the next. Blocks are checked here, so that
 * an impossible block counts as a failure of this node, and the next node is tried.
 */
export function createEndpoint(url: string, index: number, options: EndpointOptions): Endpoint {
  const { chainId, maxBytes, clockBound, clock } = options;
  const isPossible = createBlockJudge(clockBound);
  const target = postTarget(url);
  const rate = createRateLimit({ clock });
  const batch = createBatchSize({ clock });
  const queue = createCallQueue<Waiting>();
  const features = createNodeFeatures({ clock });
  let inFlight = 0;
  let onRightChain = false;
  let restingUntil = 0;
  let isScheduled = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function pump(): void {
    isScheduled = false;
    clearTimeout(timer);
    timer = undefined;
    const now = clock();
    for (const late of queue.remove(({ deadline }) => deadline <= now))
      late.settle(failed({ kind: isLimited() ? "rate_limited" : "timeout" }));
    while (launchNext()) {}
    if (queue.size() > 0) timer = setTimeout(pump, Math.max(1, Math.min(LOOK_MS, rate.waitMs() || LOOK_MS)));
  }

  function launchNext(): boolean {
    const available = rate.available();
    if (queue.size() === 0 || available < 1) return false;
    let length = 0;
    const taken = queue.next(
      (priority) => inFlight < (MOST_IN_FLIGHT[priority] ?? 1),
      (item, before) => {
        if (item.alone || before[0]?.alone === true) return false;
        length += item.length + (before.length === 1 ? (before[0]?.length ?? 0) : 0);
        const calls = before.length + 1 + (needsCheck(before) ? 1 : 0);
        return calls <= Math.min(batch.current(), available) && length <= BATCH_LENGTH;
      },
    );
    if (taken.length === 0) return false;
    void launch(taken);
    return true;
  }

  const isLimited = () => rate.callsPerSecond() < Number.POSITIVE_INFINITY;
  const needsCheck = (items: readonly Waiting[]) => !onRightChain || items.some(({ call }) => asksForHead(call));

  async function launch(items: readonly Waiting[]): Promise<void> {
    inFlight++;
    const outcomes = needsCheck(items) ? await sendChecked(items) : await sendTogether(items);
    inFlight--;
    const again: Waiting[] = [];
    for (const [position, item] of items.entries()) {
      const outcome = outcomes[position] ?? failed({ kind: "malformed" });
      if (outcome === "not_together") again.push(item);
      else settle(item, outcome);
    }
    queue.putBack(again);
    judge(outcomes);
    if (queue.size() > 0) schedule();
  }

  /** Runs `pump` after this turn of the event loop, so that calls of one turn are one batch. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    afterThisTurn(pump);
  }

  /** Sends the check of the chain id in the same request where the node takes batches, else in a request beside it. */
  async function sendChecked(items: readonly Waiting[]): Promise<BatchOutcome[]> {
    const [first] = items;
    if (first === undefined) return [];
    const check: Waiting = { ...first, call: CHAIN_ID_CALL, alone: false };
    const isTogether = batch.current() > items.length && !items.some(({ alone }) => alone);
    const [[chain], outcomes] = isTogether
      ? await sendTogether([check, ...items]).then(([head, ...rest]): [BatchOutcome[], BatchOutcome[]] => [
          head === undefined ? [] : [head],
          rest,
        ])
      : await Promise.all([sendTogether([check]), sendTogether(items)]);
    if (chain === "not_together") return items.map(() => "not_together");
    const failure = chainFailure(chain, chainId);
    if (failure !== null) return items.map(() => failed(failure));
    onRightChain = true;
    return outcomes;
  }

  /** One HTTP request. Where a batch is refused, a second request with its first call alone shows whether the node works at all. */
  async function sendTogether(items: readonly Waiting[]): Promise<BatchOutcome[]> {
    const { outcomes, statedSize } = await exchange(items);
    if (outcomes !== "batch_refused") return outcomes;
    const { outcomes: probe } = await exchange(items.slice(0, 1));
    const [first] = probe === "batch_refused" ? [] : probe;
    if (first === undefined || first === "not_together") return items.map(() => failed({ kind: "malformed" }));
    if ("failure" in first) return items.map(() => first);
    batch.refuse(items.length, statedSize);
    return items.map((_, position) => (position === 0 ? first : "not_together"));
  }

  async function exchange(items: readonly Waiting[]): Promise<Pick<ExchangedCalls, "outcomes" | "statedSize">> {
    const sentAt = clock();
    // The longest time left: a call that is near its deadline must not end the others.
    const left = Math.max(...items.map((item) => Math.min(item.deadline - sentAt, item.requestTimeoutMs)));
    if (left <= 0) return { outcomes: items.map(() => failed({ kind: "timeout" })), statedSize: null };
    rate.take(items.length);
    const calls = items.map(({ call }) => call);
    const { outcomes, statedSize, bytes } = await exchangeCalls(target, calls, { timeoutMs: left, maxBytes });
    const milliseconds = clock() - sentAt;
    const judged =
      outcomes === "batch_refused" ? outcomes : outcomes.map((each, position) => checked(calls[position], each));
    for (const [position, { call, onAttempt }] of items.entries()) {
      const outcome = judged === "batch_refused" ? undefined : judged[position];
      const known = outcome === undefined || outcome === "not_together" ? failed({ kind: "http_status" }) : outcome;
      onAttempt({ call, outcome: known, milliseconds, bytes: bytes / items.length });
    }
    if (judged !== "batch_refused") learn(judged, statedSize, sentAt);
    return { outcomes: judged, statedSize };
  }

  function learn(outcomes: readonly BatchOutcome[], statedSize: number | null, sentAt: number): void {
    const limited = outcomes.flatMap((each) => (isFailure(each, "rate_limited") ? [each.failure] : []));
    const answered = outcomes.filter((each) => each === "not_together" || !("failure" in each)).length;
    if (answered > 0) rate.accept(answered);
    if (limited.length > 0) rate.refuse(sentAt, Math.max(...limited.map(({ retryAfterMs = 0 }) => retryAfterMs)));
    if (outcomes.includes("not_together")) batch.refuse(outcomes.length, statedSize);
    else if (answered > 0) batch.accept(outcomes.length);
  }

  function checked(call: RpcCall | undefined, outcome: BatchOutcome): BatchOutcome {
    if (call === undefined || outcome === "not_together") return outcome;
    if ("failure" in outcome) return failed(outcome.failure);
    if ("refusal" in outcome) {
      outcome.refusal.source.endpoint = index;
      return outcome;
    }
    if (!fitsMethod(call, outcome.result)) return failed({ kind: "malformed" });
    return isPossible(call, outcome.result) ? outcome : failed({ kind: "impossible_block" });
  }

  function settle({ call, settle: resolve }: Waiting, outcome: RpcOutcome): void {
    features.learn(call, outcome);
    resolve(outcome);
  }

  function judge(outcomes: readonly BatchOutcome[]): void {
    const failures = outcomes.flatMap((each) =>
      each !== "not_together" && "failure" in each ? [each.failure.kind] : [],
    );
    if (failures.some((kind) => kind !== "rate_limited")) onRightChain = false;
    const isDown = failures.length === outcomes.length && failures.every((kind) => !OF_ONE_CALL.has(kind));
    restingUntil = isDown ? clock() + RESTING_MS : 0;
  }

  function failed(failure: RpcFailure): { failure: RpcFailure } {
    return { failure: { ...failure, endpoint: index } };
  }

  return {
    index,
    send(call, sendOptions) {
      const { promise, resolve } = Promise.withResolvers<RpcOutcome>();
      const length = JSON.stringify(call.params)?.length ?? 0;
      const isAdded = queue.add({ ...sendOptions, call, length, alone: features.isSentAlone(call), settle: resolve });
      if (!isAdded) return Promise.resolve(failed({ kind: "overloaded" }));
      schedule();
      return promise;
    },
    isResting: () => clock() < restingUntil,
    waitMs: () => rate.waitMs() + (queue.size() / rate.callsPerSecond()) * 1_000,
    lacks: features.lacks,
    callsPerSecond: () => (isLimited() ? rate.callsPerSecond() : null),
    batchSize: batch.current,
  };
}

/** A node that lacks a block, fails on one call or wants fewer calls may still be the best for the next call. */
const OF_ONE_CALL = new Set<RpcFailure["kind"]>([
  "missing_block",
  "null_result",
  "node_error",
  "rate_limited",
  "overloaded",
]);

/** Browsers have no setImmediate. Where it exists it is used, because a timer would add a millisecond to each round trip. */
const afterThisTurn: (run: () => void) => unknown = globalThis.setImmediate ?? ((run) => setTimeout(run, 0));

function isFailure(outcome: BatchOutcome, kind: RpcFailure["kind"]): outcome is { failure: RpcFailure } {
  return outcome !== "not_together" && "failure" in outcome && outcome.failure.kind === kind;
}

/** Whether a call is for the chain's latest block. */
export function asksForHead({ method, params }: RpcCall): boolean {
  return method === "eth_getBlockByNumber" && Array.isArray(params) && params[0] === "latest";
}

function chainFailure(outcome: BatchOutcome | undefined, chainId: number): RpcFailure | null {
  if (outcome === undefined || outcome === "not_together" || "refusal" in outcome) return { kind: "node_error" };
  if ("failure" in outcome) return outcome.failure;
  return Number(outcome.result) === chainId ? null : { kind: "wrong_chain" };
}

/** fetch refuses credentials inside a URL; as a header they work. */
function postTarget(text: string): PostTarget {
  const url = new URL(text);
  if (url.username === "" && url.password === "") return { url: url.href, headers: {} };
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = "";
  url.password = "";
  return { url: url.href, headers: { authorization: `Basic ${btoa(credentials)}` } };
}
