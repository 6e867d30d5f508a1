import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { AnswerStamp, type Truth } from "./createTruth";

/** What a client saw since it was last asked. */
export type Sighting = {
  /** Answers of polled reads marked as fresh, and as stale. */
  fresh: number;
  stale: number;
  /** Answers of reads that need the chain or the index. */
  live: number;
  /** Refusals by kind of read and status, e.g. `{ "polled 503": 2 }`, and answers that have an `error` field. */
  errors: Record<string, number>;
  /** Connections that were refused, or closed before their request was received. */
  refused: number;
  /** Ids of requests whose connection ended in the middle of the exchange, or that had no answer within 20 s. */
  cut: string[];
  /** Answers that are not what the chain holds at the block they name, or that pass old data off as fresh. */
  wrong: string[];
};

export type Watcher = {
  /** Everything since the last call, each answer checked. */
  seen(): Promise<Sighting>;
  /**
   * Counts as refused the requests that an ended process has not logged: Bun closes a connection on which nothing was received yet when its
   * server stops. One that was received is answered, and so logged, before the process ends.
   *
   * @param log everything that the process has logged
   */
  ended(log: string): void;
  stop(): Promise<void>;
};

export type WatcherOptions = {
  /** Every process of the API. */
  urls: readonly string[];
  polled: readonly string[];
  live: readonly string[];
  truth: Truth;
  staleAfterMs: number;
  /** What the clocks of the processes may be ahead of this one, in milliseconds. */
  clockShifts(): readonly number[];
};

const ErrorBody = Type.Object({ error: Type.String(), code: Type.String(), requestId: Type.String() });
const FailingIndex = Type.Object({ error: Type.String(), events: Type.Array(Type.Unknown(), { maxItems: 0 }) });

const PAUSE_MS = 25;
const PATIENCE_MS = 20_000;
/** Between the time of an answer and the moment that it is read here, on a busy machine. */
const SLACK_MS = 2_000;

/** A client that reads from all processes all the time, and checks every answer against the chain. */
export function startWatcher({ urls, polled, live, truth, staleAfterMs, clockShifts }: WatcherOptions): Watcher {
  let sighting = nothing();
  let running = true;
  const checks = new Map<string, Promise<string | null>>();
  let pending: Promise<void>[] = [];

  /** Equal answers are checked once. */
  function check(path: string, text: string, body: unknown): void {
    const { asOf } = stampOf(body);
    const { wrong } = sighting;
    const provenAt = Date.parse(asOf.confirmedAt ?? asOf.computedAt);
    const ageMs = Math.min(...clockShifts().map((shiftMs) => Date.now() + shiftMs - provenAt));
    if (!asOf.stale && ageMs > staleAfterMs + SLACK_MS) wrong.push(`${path} is ${ageMs} ms old and not stale`);
    const key = `${path} ${text.replace(/"(?:computed|confirmed)At":"[^"]+"|"stale":(?:true|false)/g, "")}`;
    let checked = checks.get(key);
    if (checked === undefined) {
      checked = truth.check(path, body);
      checks.set(key, checked);
    }
    const note = (fault: string | null) => void (fault === null || wrong.push(`${path} ${fault}`));
    pending.push(checked.then(note, (error: unknown) => note(`could not be checked: ${String(error)}`)));
  }

  async function ask(url: string, path: string, kind: "polled" | "live"): Promise<void> {
    const counts = sighting;
    const requestId = crypto.randomUUID();
    const headers = { "X-Request-Id": requestId };
    let response: Response;
    let text: string;
    try {
      response = await fetch(url + path, { headers, keepalive: false, signal: AbortSignal.timeout(PATIENCE_MS) });
      text = await response.text();
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : "";
      if (code === "ECONNREFUSED" || code === "ConnectionRefused") counts.refused++;
      else if (running) counts.cut.push(requestId);
      return;
    }
    // Whatever was received whole is an answer: one that can't be read is wrong, and no fault of the connection.
    try {
      judge(path, kind, response, text, counts);
    } catch (error) {
      counts.wrong.push(`${path} was answered with ${response.status} and ${text.slice(0, 200)}: ${String(error)}`);
    }
  }

  /** @throws Error where the answer is not JSON of the form that its status requires. */
  function judge(path: string, kind: "polled" | "live", response: Response, text: string, counts: Sighting): void {
    const body: unknown = JSON.parse(text);
    if (!response.ok) {
      Value.Assert(ErrorBody, body);
      if (response.status < 500 || body.code === "INTERNAL") {
        counts.wrong.push(`${path} was answered with ${response.status}: ${text}`);
      }
      const name = `${kind} ${response.status}`;
      counts.errors[name] = (counts.errors[name] ?? 0) + 1;
      return;
    }
    // An answer that reports a failing index has no rows.
    if (typeof body === "object" && body !== null && "error" in body) {
      Value.Assert(FailingIndex, body);
      counts.errors["live error field"] = (counts.errors["live error field"] ?? 0) + 1;
      return;
    }
    const { asOf } = stampOf(body);
    if (kind === "live") counts.live++;
    else if (asOf.stale) counts.stale++;
    else counts.fresh++;
    check(path, text, body);
  }

  async function loop(url: string, paths: readonly string[], kind: "polled" | "live"): Promise<void> {
    for (let turn = 0; running; turn++) {
      await ask(url, paths[turn % paths.length] ?? "", kind);
      await Bun.sleep(PAUSE_MS);
    }
  }

  const loops = urls.flatMap((url) => [loop(url, polled, "polled"), loop(url, live, "live")]);
  return {
    async seen() {
      const result = sighting;
      const checking = pending;
      sighting = nothing();
      pending = [];
      await Promise.all(checking);
      return result;
    },
    ended(log) {
      const received = sighting.cut.filter((requestId) => log.includes(requestId));
      sighting.refused += sighting.cut.length - received.length;
      sighting.cut = received;
    },
    async stop() {
      running = false;
      await Promise.all(loops);
    },
  };
}

function stampOf(body: unknown): Static<typeof AnswerStamp> {
  Value.Assert(AnswerStamp, body);
  return body;
}

function nothing(): Sighting {
  return { fresh: 0, stale: 0, live: 0, errors: {}, refused: 0, cut: [], wrong: [] };
}
