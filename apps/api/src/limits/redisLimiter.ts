import { within } from "@dueday/config/within";
import { type Instead, type SharedLimiter, type Taker, type Taking, takeOnce } from "./limiter";
import type { RedisConnection } from "./redisConnection";
import { createCall, readReply, type ScriptCall, writeCalls } from "./scriptCall";
import { takeScript } from "./takeScript";

export type RedisLimiterOptions = {
  send: RedisConnection["send"];
  /** Begins every key, so that several services may share one Redis. */
  prefix: string;
  /** Longest wait for Redis, milliseconds; what takes longer counts as failed. */
  deadlineMs: number;
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
export function redisLimiter({ send, prefix, deadlineMs, clock }: RedisLimiterOptions): SharedLimiter {
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

  const join: Join = (call) => {
    batch ??= open();
    const { calls, takings } = batch;
    const place = calls.push(call) - 1;
    if (calls.length === LARGEST_BATCH) {
      void sendBatch(batch);
      batch = null;
    }
    return { takings: takings.promise, place };
  };

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
    return new RedisTaker(join, createCall(prefix, charges, identities), instead);
  };
  return { takerOf, take: (demands) => takeOnce(takerOf, demands) };
}

/** Puts a request into the batch that leaves next. */
type Join = (call: ScriptCall) => { takings: Promise<Taking[]>; place: number };

/** It is the call itself: of thousands of clients each object on the way is far away in memory. */
class RedisTaker implements Taker, ScriptCall {
  readonly charges: ScriptCall["charges"];
  readonly keys: string;
  readonly asked: string;
  readonly #join: Join;
  readonly #instead: Instead | undefined;

  constructor(join: Join, { charges, keys, asked }: ScriptCall, instead: Instead | undefined) {
    this.charges = charges;
    this.keys = keys;
    this.asked = asked;
    this.#join = join;
    this.#instead = instead;
  }

  take<T>(goOn: (taking: Taking) => T | Promise<T>): Promise<T> {
    const { takings, place } = this.#join(this);
    const instead = this.#instead;
    return takings.then(
      (known) => {
        const taking = known[place];
        if (taking === undefined) throw new Error("the limiter's script left a request out");
        return goOn(taking);
      },
      instead === undefined ? undefined : (reason) => instead(reason, goOn),
    );
  }
}
