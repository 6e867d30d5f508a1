import { DAY_MS, MINUTE_MS, SLACK_MS } from "./limiter";

/** The expiry of a minute bucket is written anew at most this often: writing it costs as much as the admission. */
const EXPIRY_SPAN_MS = 15_000;

/** A day bucket is one number: its day times this, plus what was taken. */
const DAY_FACTOR = 100_000_000_000;

/**
 * The rules of `Limiter` as one Redis script, for any number of requests in one round trip; they are judged one after another.
 *
 * KEYS: one for each demand, all requests in a row. ARGV: the time in milliseconds (empty: Redis's own clock, the same for all
 * processes), then for each run of requests with the same charges: the number of requests, the number of charges, and of each charge
 * its limit and 4 * cost + 2 for a minute (a day: 0) + 1 where it is enforced. The reply is flat: for an admitted request 1,
 * then remaining and resetMs of each demand; for a refused one 0, then remaining, resetMs and waitMs of each.
 *
 * A minute bucket is a list of admission times, newest first, at most `limit` long. Keys live longer than their window by at
 * least the slack, so that the expiry, by Redis's clock, never decides anything.
 */
export const takeScript = `
local MINUTE, DAY, SLACK, SPAN, FACTOR = ${MINUTE_MS}, ${DAY_MS}, ${SLACK_MS}, ${EXPIRY_SPAN_MS}, ${DAY_FACTOR}
local MINUTE_EXPIRY = '${MINUTE_MS + SLACK_MS + EXPIRY_SPAN_MS}'
local call, floor, max = redis.call, math.floor, math.max

local clock = tonumber(ARGV[1])
if not clock then
  local time = call('TIME')
  clock = time[1] * 1000 + floor(time[2] / 1000)
end
local today = floor(clock / DAY)
local clockText = string.format('%d', clock)

-- The charges of the present run, and what was found of each demand of the present request.
local limits, costs, minutes, enforced = {}, {}, {}, {}
local useds, resets, waits, newests, expireds, days = {}, {}, {}, {}, {}, {}

local function lookAtMinute(i, key)
  local limit, asked = limits[i], max(1, costs[i])
  local length = call('LLEN', key)
  local now, expired, oldest = clock, 0, nil
  newests[i] = 0
  if length > 0 then
    newests[i] = tonumber(call('LINDEX', key, '0'))
    now = max(clock, newests[i])
    oldest = tonumber(call('LINDEX', key, '-1'))
    while oldest and oldest <= now - MINUTE do
      expired = expired + 1
      oldest = expired < length and tonumber(call('LINDEX', key, -1 - expired))
    end
  end
  expireds[i] = expired
  useds[i] = length - expired
  resets[i] = oldest and oldest + MINUTE - clock or 0
  waits[i] = 0
  local mustLeave = useds[i] + asked - limit
  if mustLeave <= 0 or not enforced[i] then return true end
  local last = clock
  if asked <= limit then last = tonumber(call('LINDEX', key, -expired - mustLeave)) end
  waits[i] = last + MINUTE - clock
  return false
end

local function lookAtDay(i, key)
  local stored = tonumber(call('GET', key) or 0)
  local storedDay = floor(stored / FACTOR)
  days[i] = max(today, storedDay)
  useds[i] = 0
  if storedDay == days[i] then useds[i] = stored % FACTOR end
  local untilMidnight = (days[i] + 1) * DAY - clock
  resets[i] = useds[i] > 0 and untilMidnight or 0
  waits[i] = 0
  if useds[i] + max(1, costs[i]) <= limits[i] or not enforced[i] then return true end
  waits[i] = untilMidnight
  return false
end

local function takeMinute(i, key)
  local now, text = clock, clockText
  if newests[i] > clock then now, text = newests[i], string.format('%d', newests[i]) end
  if expireds[i] > 0 then call('LTRIM', key, 0, -1 - expireds[i]) end
  for _ = 1, costs[i] do call('LPUSH', key, text) end
  if floor(newests[i] / SPAN) ~= floor(now / SPAN) then
    call('PEXPIRE', key, now == clock and MINUTE_EXPIRY or now - clock + MINUTE + SLACK + SPAN)
  end
  if useds[i] == 0 then resets[i] = now + MINUTE - clock end
end

local function takeDay(i, key)
  resets[i] = (days[i] + 1) * DAY - clock
  if useds[i] > 0 then
    call('INCRBY', key, costs[i])
  else
    call('SET', key, string.format('%d', days[i] * FACTOR + costs[i]), 'PX', resets[i] + SLACK)
  end
end

local reply, size, keyIndex, at = {}, 0, 0, 2
while ARGV[at] do
  local requests, charges = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  at = at + 2
  for i = 1, charges do
    local packed = tonumber(ARGV[at + 1])
    limits[i], costs[i] = tonumber(ARGV[at]), floor(packed / 4)
    minutes[i], enforced[i] = packed % 4 >= 2, packed % 2 == 1
    at = at + 2
  end
  for _ = 1, requests do
    local admitted = true
    for i = 1, charges do
      local look = minutes[i] and lookAtMinute or lookAtDay
      if not look(i, KEYS[keyIndex + i]) then admitted = false end
    end
    size = size + 1
    reply[size] = admitted and 1 or 0
    for i = 1, charges do
      if admitted and costs[i] > 0 then
        local take = minutes[i] and takeMinute or takeDay
        take(i, KEYS[keyIndex + i])
        useds[i] = useds[i] + costs[i]
      end
      reply[size + 1] = max(0, limits[i] - useds[i])
      reply[size + 2] = resets[i]
      size = size + 2
      if not admitted then
        size = size + 1
        reply[size] = waits[i]
      end
    end
    keyIndex = keyIndex + charges
  end
end
return reply
`;
