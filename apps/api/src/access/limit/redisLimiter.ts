import { within } from "@dueday/config/within";
import type { Redis } from "ioredis";
import { type BucketState, type Charge, identitiesOf, type Limiter, type Taking } from "./limiter";
import { REPLY_BYTES, takeScript } from "./takeScript";

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
type Call = {
  charges: readonly Charge[];
  /** A line for each charge: the key of its bucket. */
  keys: string;
};
type Waiting = { call: Call; settle: PromiseWithResolvers<Taking> };

/** Requests of one turn beyond this go ahead: Redis judges them while the turn goes on with the others. */
const LARGEST_BATCH = 32;

const SHA = new Bun.CryptoHasher("sha1").update(takeScript).digest("hex");

/**
 * Buckets shared by all processes on one Redis. What arrives in one turn of the event loop travels together, up to
 * `LARGEST_BATCH` at a time: one round trip, each request still judged alone. Rejects when Redis does, or does not answer in time.
 */
export function redisLimiter({ redis, prefix, deadlineMs = 100, clock }: RedisLimiterOptions): Limiter {
  let batch: Waiting[] = [];

  function callOf(charges: readonly Charge[], identities: readonly string[]): Call {
    const keys = charges.map(({ name }, index) => `${prefix}bucket:${identities[index]}:${name}`);
    return { charges, keys: keys.join("\n") };
  }

  function take(call: Call): Taking | Promise<Taking> {
    const { charges } = call;
    if (charges.length === 0) return { admitted: true, charges, states: [] };
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
      const reply = await within("the limiter on Redis", deadlineMs, run(sent));
      for (const [index, taking] of readReply(sent, reply).entries()) sent[index]?.settle.resolve(taking);
    } catch (error) {
      for (const { settle } of sent) settle.reject(error);
    }
  }

  async function run(sent: readonly Waiting[]): Promise<unknown> {
    const keys = sent.map(({ call }) => call.keys).join("\n");
    const values = [clock === undefined ? "" : String(clock()), keys, writeCharges(sent)];
    try {
      return await redis.callBuffer("EVALSHA", SHA, 0, ...values);
    } catch (error) {
      // A Redis that was restarted, or never saw the script, ran nothing of it.
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return await redis.callBuffer("EVAL", takeScript, 0, ...values);
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

/** Clients of one lane have the same charges: those are said once for a run of them. */
function writeCharges(sent: readonly Waiting[]): string {
  let text = "";
  for (let from = 0; from < sent.length; ) {
    const charges = sent[from]?.call.charges ?? [];
    let to = from + 1;
    while (sent[to]?.call.charges === charges) to += 1;
    text += `${to - from} ${charges.length} `;
    for (const { limit, window, cost, enforced } of charges) {
      text += `${limit} ${cost * 4 + (window === "minute" ? 2 : 0) + (enforced ? 1 : 0)} `;
    }
    from = to;
  }
  return text;
}

/** @throws Error where the reply is not as long as what was asked. */
function readReply(sent: readonly Waiting[], reply: unknown): Taking[] {
  const demands = sent.reduce((sum, { call }) => sum + call.charges.length, 0);
  if (!Buffer.isBuffer(reply) || reply.length !== demands * REPLY_BYTES) {
    throw new Error("the limiter's script answered something else than was asked");
  }
  let at = 0;
  return sent.map(({ call: { charges } }) => {
    const states: BucketState[] = [];
    let admitted = true;
    for (const charge of charges) {
      const waitMs = reply.readDoubleLE(at + 16);
      states.push({ charge, remaining: reply.readDoubleLE(at), resetMs: reply.readDoubleLE(at + 8), waitMs });
      if (waitMs > 0) admitted = false;
      at += REPLY_BYTES;
    }
    return { admitted, charges, states };
  });
}
