import { within } from "@dueday/config/within";
import { identitiesOf, type Limiter, type Taking } from "./limiter";
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

type Waiting = { call: ScriptCall; settle: PromiseWithResolvers<Taking> };

/** Requests of one turn beyond this go ahead: Redis judges them while the turn goes on with the others. */
const LARGEST_BATCH = 16;

const SHA = new Bun.CryptoHasher("sha1").update(takeScript).digest("hex");

/**
 * Buckets shared by all processes on one Redis. What arrives in one turn of the event loop travels together, up to
 * `LARGEST_BATCH` at a time: one round trip, each request still judged alone. Rejects when Redis does, or does not answer in time.
 */
export function redisLimiter({ send, prefix, deadlineMs = 100, clock }: RedisLimiterOptions): Limiter {
  let batch: Waiting[] = [];

  function take(call: ScriptCall): Taking | Promise<Taking> {
    const { charges } = call;
    if (charges.length === 0) return { admitted: true, charges, states: [] };
    const settle = Promise.withResolvers<Taking>();
    const waiting = batch.push({ call, settle });
    if (waiting === LARGEST_BATCH) void sendBatch();
    else if (waiting === 1) setImmediate(sendBatch);
    return settle.promise;
  }

  async function sendBatch(): Promise<void> {
    const sent = batch;
    batch = [];
    if (sent.length === 0) return;
    const calls = sent.map(({ call }) => call);
    try {
      const reply = await within("the limiter on Redis", deadlineMs, run(calls));
      for (const [index, taking] of readReply(calls, reply).entries()) sent[index]?.settle.resolve(taking);
    } catch (error) {
      for (const { settle } of sent) settle.reject(error);
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

  return {
    takerOf(charges, identities) {
      const call = createCall(prefix, charges, identities);
      return { take: () => take(call) };
    },
    take: (demands) => take(createCall(prefix, demands, identitiesOf(demands))),
  };
}
