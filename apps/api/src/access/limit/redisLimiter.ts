import { within } from "@dueday/config/within";
import { type Instead, type SharedLimiter, type Taking, takeOnce } from "./limiter";
import type { RedisConnection } from "./redisConnection";
import { createCall, readReply, type ScriptCall, writeCalls } from "./scriptCall";
import { takeScript } from "./takeScript";

export type RedisLimiterOptions = {
  send: RedisConnection["send"];
  /** Begins every key, so that several services may share one Redis. */
  prefix: string;
  /** Longest wait for Redis, milliseconds; what takes longer is rejected. Default 100. */
  deadlineMs?: number;
  /** Unix milliseconds, for tests. Without it Redis's own clock counts: the same for all processes. */
  clock?: () => number;
};

/** Requests that travel together. What is said of them comes at the place of each. */
type Batch = { calls: ScriptCall[]; takings: PromiseWithResolvers<Taking[]> };

/** Requests of one turn beyond this go ahead: Redis judges them while the turn goes on with the others. */
const LARGEST_BATCH = 16;

const SHA = new Bun.CryptoHasher("sha1").update(takeScript).digest("hex");

/**
 * Buckets shared by all processes on one Redis. What arrives in one turn of the event loop travels together, up to
 * `LARGEST_BATCH` at a time: one round trip, each request still judged alone.
 */
export function redisLimiter({ send, prefix, deadlineMs = 100, clock }: RedisLimiterOptions): SharedLimiter {
  let batch: Batch | null = null;
  let sendsAtEndOfTurn = false;

  function open(): Batch {
    if (!sendsAtEndOfTurn) setImmediate(sendRest);
    sendsAtEndOfTurn = true;
    return { calls: [], takings: Promise.withResolvers() };
  }

  function sendRest(): void {
    sendsAtEndOfTurn = false;
    if (batch !== null) void sendBatch(batch);
    batch = null;
  }

  function take<T>(call: ScriptCall, instead: Instead | undefined, goOn: (taking: Taking) => T): Promise<T> {
    batch ??= open();
    const { calls, takings } = batch;
    const index = calls.push(call) - 1;
    if (calls.length === LARGEST_BATCH) {
      void sendBatch(batch);
      batch = null;
    }
    return takings.promise.then(
      (known) => {
        const taking = known[index];
        if (taking === undefined) throw new Error("the limiter's script left a request out");
        return goOn(taking);
      },
      instead === undefined ? undefined : (reason) => instead(reason, goOn),
    );
  }

  async function sendBatch({ calls, takings }: Batch): Promise<void> {
    try {
      takings.resolve(readReply(calls, await within("the limiter on Redis", deadlineMs, run(calls))));
    } catch (error) {
      takings.reject(error);
    }
  }

  async function run(calls: readonly ScriptCall[]): Promise<unknown> {
    const values = [clock === undefined ? "" : String(clock()), ...writeCalls(calls)];
    try {
      return await send("EVALSHA", [SHA, "0", ...values]);
    } catch (error) {
      // A Redis that was restarted, or never saw the script, ran nothing of it.
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return await send("EVAL", [takeScript, "0", ...values]);
    }
  }

  const takerOf: SharedLimiter["takerOf"] = (charges, identities, instead) => {
    // A request that is charged nothing asks nobody.
    if (charges.length === 0) return { take: (goOn) => goOn({ admitted: true, charges, states: [] }) };
    const call = createCall(prefix, charges, identities);
    return { take: (goOn) => take(call, instead, goOn) };
  };
  return { takerOf, take: (demands) => takeOnce(takerOf, demands) };
}
