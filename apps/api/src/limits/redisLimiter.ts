import { within } from "@dueday/core/within";
import { DAY_MS, type Decision, type Demand, type Limiter, MINUTE_MS, SLACK_MS } from "./limiter";
import type { RedisConnection } from "./redisConnection";

export type RedisLimiterOptions = {
  send: RedisConnection["send"];
  /** First part of every key. */
  prefix: string;
  /** Longest wait for Redis, milliseconds; a later answer counts as failed. */
  deadlineMs: number;
  /** Unix milliseconds, for tests. Default: Redis's own clock, which is the same for all processes. */
  clock?: (() => number) | undefined;
};

/** Requests that are sent together, in the order of their decisions. */
type Batch = { requests: (readonly Demand[])[]; decisions: PromiseWithResolvers<Decision[]> };

/** A batch of this size is sent at once: Redis decides on it while the turn goes on. */
const MAX_BATCH = 16;

/**
 * Buckets shared by all processes on one Redis. The requests of one turn of the event loop are sent together, at most `MAX_BATCH` in
 * one round trip; each gets its own decision. Rejects where Redis fails, or does not answer in time.
 */
export function redisLimiter({ send, prefix, deadlineMs, clock }: RedisLimiterOptions): Limiter {
  let batch: Batch | null = null;

  function openBatch(): Batch {
    const opened: Batch = { requests: [], decisions: Promise.withResolvers() };
    setImmediate(() => {
      if (batch === opened) sendBatch(opened);
    });
    return opened;
  }

  function sendBatch({ requests, decisions }: Batch): void {
    batch = null;
    within("the limiter on Redis", deadlineMs, run(requests))
      .then((reply) => readReply(requests, reply))
      .then(decisions.resolve, decisions.reject);
  }

  async function run(requests: readonly (readonly Demand[])[]): Promise<unknown> {
    const keys = requests.flat().map(({ identity, name }) => `${prefix}${identity}:${name}`);
    const asked = requests.map((demands) =>
      demands.map(({ limit, window, cost, enforced }) => [limit, window, cost, enforced]),
    );
    const values = [String(keys.length), ...keys, clock === undefined ? "" : String(clock()), JSON.stringify(asked)];
    try {
      return await send("EVALSHA", [SHA, ...values]);
    } catch (error) {
      // Redis does not have the script after a restart, or before its first use; it has then run nothing.
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return await send("EVAL", [SCRIPT, ...values]);
    }
  }

  return {
    async take(demands) {
      if (demands.length === 0) return { admitted: true, states: [] };
      batch ??= openBatch();
      const { requests, decisions } = batch;
      const place = requests.push(demands) - 1;
      if (requests.length === MAX_BATCH) sendBatch(batch);
      const decision = (await decisions.promise)[place];
      if (decision === undefined) throw new Error("the limiter's script did not answer every request");
      return decision;
    },
  };
}

/** @throws Error where the script's reply does not belong to these requests */
function readReply(requests: readonly (readonly Demand[])[], reply: unknown): Decision[] {
  const count = requests.reduce((sum, demands) => sum + demands.length, 0);
  if (!isListOfNumbers(reply) || reply.length !== 3 * count)
    throw new Error("the limiter's script returned an unexpected reply");
  const figures = reply.values();
  const next = () => figures.next().value ?? 0;
  return requests.map((demands) => {
    const states = demands.map((demand) => ({ demand, fits: next() === 1, remaining: next(), resetMs: next() }));
    return { admitted: states.every(({ fits }) => fits), states };
  });
}

function isListOfNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}

/**
 * Decides on requests, one after another, by the rules of `Limiter`.
 *
 * KEYS: the bucket of each demand, all requests in a row. ARGV: the time in milliseconds, empty for Redis's own; the requests as JSON,
 * each a list of demands: limit, window, cost, enforced.
 * Reply: three integers for each demand: 0 where its bucket refused (it is enforced, and has no room for it), else 1; remaining; resetMs.
 *
 * A minute bucket is stored as the times of its admissions, oldest first, 13 digits each; a day bucket as `<day>:<count>`. Any other
 * value counts as an empty bucket, and the next admission replaces it: MGET returns no value for a key of another type, and SET
 * writes over it. A key expires `SLACK_MS` or more after the last admission in it has stopped counting: its expiry never decides on a request.
 */
const SCRIPT = `
local MINUTE, DAY, SLACK, DIGITS = ${MINUTE_MS}, ${DAY_MS}, ${SLACK_MS}, 13
local floor, max = math.floor, math.max

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + floor(time[2] / 1000)
end

-- By key: the stored value, the bucket read from it, its kind, and after an admission its time to live.
local values, buckets, kindOf, lifeOf = {}, {}, {}, {}
for i, value in ipairs(redis.call('MGET', unpack(KEYS))) do values[KEYS[i]] = value or '' end

local minute, day = {}, {}

local function timeAt(times, index)
  return tonumber(times:sub((index - 1) * DIGITS + 1, index * DIGITS)) or math.huge
end

-- The times that have not expired.
function minute.read(times)
  local size = #times / DIGITS
  if times == '' or size % 1 ~= 0 then return '' end
  local oldest, newest = timeAt(times, 1), timeAt(times, size)
  -- These two are enough to recognize other bytes. The comparison is false for NaN too.
  if not (oldest <= newest and newest <= now + SLACK) then return '' end
  local last, low, high = max(now, newest) - MINUTE, 0, size
  if oldest > last then return times end
  while low < high do
    local middle = floor((low + high + 1) / 2)
    if timeAt(times, middle) <= last then low = middle else high = middle - 1 end
  end
  return times:sub(low * DIGITS + 1)
end

function minute.wait(times, limit, wanted)
  if wanted > limit then return MINUTE end
  local mustExpire = #times / DIGITS + wanted - limit
  return mustExpire > 0 and timeAt(times, mustExpire) + MINUTE - now or 0
end

function minute.take(times, limit, cost)
  if cost < 0 then return times:sub(1, max(0, #times + cost * DIGITS)), MINUTE + 2 * SLACK end
  local newest = times == '' and 0 or timeAt(times, #times / DIGITS)
  times = times .. ('%013.0f'):format(max(now, newest)):rep(cost)
  -- Where the limit is not enforced, only the latest times decide.
  return times:sub(-limit * DIGITS), MINUTE + 2 * SLACK
end

function minute.usage(times)
  return #times / DIGITS, times == '' and 0 or timeAt(times, 1) + MINUTE - now
end

function minute.write(times) return times end

function day.read(value)
  local today, latest = floor(now / DAY), floor((now + SLACK) / DAY)
  local stored, count = value:match('^(%d+):(%d+)$')
  stored, count = tonumber(stored), tonumber(count)
  if stored and stored >= today and stored <= latest and count < 1e15 then return { day = stored, count = count } end
  return { day = today, count = 0 }
end

local function untilEnd(bucket) return (bucket.day + 1) * DAY - now end

function day.wait(bucket, limit, wanted) return bucket.count + wanted > limit and untilEnd(bucket) or 0 end

function day.take(bucket, _, cost)
  return { day = bucket.day, count = max(0, bucket.count + cost) }, untilEnd(bucket) + SLACK
end

function day.usage(bucket) return bucket.count, bucket.count == 0 and 0 or untilEnd(bucket) end

function day.write(bucket) return ('%.0f:%.0f'):format(bucket.day, bucket.count) end

local kinds, reply, place = { minute = minute, day = day }, {}, 0
for _, demands in ipairs(cjson.decode(ARGV[2])) do
  local waits, admitted = {}, true
  for i, demand in ipairs(demands) do
    local limit, window, cost, enforced = unpack(demand)
    local key, kind = KEYS[place + i], kinds[window]
    buckets[key], kindOf[key] = buckets[key] or kind.read(values[key]), kind
    waits[i] = enforced and kind.wait(buckets[key], limit, max(1, cost)) or 0
    admitted = admitted and waits[i] == 0
  end
  for i, demand in ipairs(demands) do
    local limit, _, cost = unpack(demand)
    local key = KEYS[place + i]
    local kind = kindOf[key]
    if admitted and cost ~= 0 then
      buckets[key], lifeOf[key] = kind.take(buckets[key], limit, cost)
    end
    local used, reset = kind.usage(buckets[key])
    local fits = waits[i] == 0
    reply[#reply + 1] = fits and 1 or 0
    reply[#reply + 1] = max(0, limit - used)
    reply[#reply + 1] = fits and reset or waits[i]
  end
  place = place + #demands
end
for key, life in pairs(lifeOf) do redis.call('SET', key, kindOf[key].write(buckets[key]), 'PX', life) end
return reply
`;

const SHA = new Bun.CryptoHasher("sha1").update(SCRIPT).digest("hex");
