import { within } from "@dueday/config/within";
import type { Redis } from "ioredis";
import { type BucketState, type Charge, identitiesOf, type Limiter, type Taking } from "./limiter";
import { takeScript } from "./takeScript";

export type RedisLimiterOptions = {
  redis: Redis;
  /** Begins every key, so that several services may share one Redis. */
  prefix: string;
  /** Longest wait for Redis, milliseconds; what takes longer is rejected. Default 100. */
  deadlineMs?: number;
  /** Unix milliseconds, for tests. Without it Redis's own clock counts: the same for all processes. */
  clock?: () => number;
};

/** What one request brings to the script. */
type Call = { charges: readonly Charge[]; keys: readonly string[] };
type Waiting = { call: Call; settle: PromiseWithResolvers<Taking> };

/** Requests of one turn beyond this go ahead: Redis judges them while the turn goes on with the others. */
const LARGEST_BATCH = 12;

const SHA = new Bun.CryptoHasher("sha1").update(takeScript).digest("hex");

/**
 * Buckets shared by all processes on one Redis. What arrives in one turn of the event loop travels together, a dozen
 * at a time: one round trip, each request still judged alone. Rejects when Redis does, or does not answer in time.
 */
export function redisLimiter({ redis, prefix, deadlineMs = 100, clock }: RedisLimiterOptions): Limiter {
  let batch: Waiting[] = [];

  function callOf(charges: readonly Charge[], identities: readonly string[]): Call {
    return { charges, keys: charges.map(({ name }, index) => `${prefix}bucket:${identities[index]}:${name}`) };
  }

  function take(call: Call): Promise<Taking> {
    const settle = Promise.withResolvers<Taking>();
    const waiting = batch.push({ call, settle });
    if (waiting === LARGEST_BATCH) void send();
    else if (waiting === 1) setImmediate(send);
    return settle.promise;
  }

  async function send(): Promise<void> {
    const sent = batch;
    batch = [];
    if (sent.length === 0) return;
    try {
      const answers = readReply(sent, await within("the limiter on Redis", deadlineMs, run(sent)));
      for (const [index, { settle }] of sent.entries()) {
        const answer = answers[index];
        if (answer === undefined) settle.reject(new Error("the limiter's script answered too little"));
        else settle.resolve(answer);
      }
    } catch (error) {
      for (const { settle } of sent) settle.reject(error);
    }
  }

  async function run(sent: readonly Waiting[]): Promise<unknown> {
    const keys: string[] = [];
    for (const { call } of sent) for (const key of call.keys) keys.push(key);
    const values = [clock === undefined ? "" : String(clock()), ...writeCharges(sent)];
    try {
      return await redis.evalsha(SHA, keys.length, ...keys, ...values);
    } catch (error) {
      // A Redis that was restarted, or never saw the script, ran nothing of it.
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return await redis.eval(takeScript, keys.length, ...keys, ...values);
    }
  }

  return {
    takerOf(charges, identities) {
      const call = callOf(charges, identities);
      return { take: () => take(call) };
    },
    take: (demands) => take(callOf(demands, identitiesOf(demands))),
  };
}

/** Each argument costs both sides of the wire: clients of one lane have the same charges, and those are said once for a run of them. */
function writeCharges(sent: readonly Waiting[]): string[] {
  const values: string[] = [];
  for (let from = 0; from < sent.length; ) {
    const charges = sent[from]?.call.charges ?? [];
    let to = from + 1;
    while (sent[to]?.call.charges === charges) to += 1;
    values.push(String(to - from), String(charges.length));
    for (const { limit, window, cost, enforced } of charges) {
      values.push(String(limit), String(cost * 4 + (window === "minute" ? 2 : 0) + (enforced ? 1 : 0)));
    }
    from = to;
  }
  return values;
}

function readReply(sent: readonly Waiting[], reply: unknown): Taking[] {
  if (!Array.isArray(reply)) throw new Error("the limiter's script answered no list");
  let at = 0;
  const next = (): number => {
    const value: unknown = reply[at];
    at += 1;
    if (typeof value !== "number") throw new Error("the limiter's script answered too little");
    return value;
  };
  return sent.map(({ call }) => {
    const admitted = next() === 1;
    const states = call.charges.map(
      (charge): BucketState => ({ charge, remaining: next(), resetMs: next(), waitMs: admitted ? 0 : next() }),
    );
    return { admitted, charges: call.charges, states };
  });
}
