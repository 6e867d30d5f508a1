import { DAY_MS, MINUTE_MS, SLACK_MS } from "./limiter";

/**
 * The rules of `Limiter` as one Redis script, for any number of requests in one round trip; they are judged one after another.
 *
 * KEYS: one for each demand, all requests in a row. ARGV: the time in milliseconds (empty: Redis's own clock, the same for all
 * processes), then for each request its number of demands, and for each of those its limit, and 4 * cost + 2 for a minute
 * (a day: 0) + 1 where it is enforced. The reply is flat: for each request 1 or 0, then remaining, resetMs and waitMs of each demand.
 *
 * A minute bucket is a list of admission times, newest first, at most `limit` long. A day bucket is a hash of day and count.
 * Keys live a minute longer than their window, so that the expiry, by Redis's clock, never decides anything.
 */
export const takeScript = `
local MINUTE, DAY, SLACK = ${MINUTE_MS}, ${DAY_MS}, ${SLACK_MS}
local clock = tonumber(ARGV[1])
if not clock then
  local time = redis.call('TIME')
  clock = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function lookAtMinute(demand)
  local length = redis.call('LLEN', demand.key)
  demand.now = clock
  if length > 0 then demand.now = math.max(clock, tonumber(redis.call('LINDEX', demand.key, 0))) end
  local expired, oldest = 0, nil
  while expired < length do
    oldest = tonumber(redis.call('LINDEX', demand.key, -1 - expired))
    if oldest > demand.now - MINUTE then break end
    expired = expired + 1
  end
  demand.expired = expired
  demand.used = length - expired
  local asked = math.max(1, demand.cost)
  local mustLeave = demand.used + asked - demand.limit
  demand.fits = not demand.enforced or mustLeave <= 0
  demand.wait = 0
  if not demand.fits then
    local last = clock
    if asked <= demand.limit then last = tonumber(redis.call('LINDEX', demand.key, -expired - mustLeave)) end
    demand.wait = last + MINUTE - clock
  end
  demand.reset = 0
  if demand.used > 0 then demand.reset = oldest + MINUTE - clock end
end

local function lookAtDay(demand)
  local stored = redis.call('HMGET', demand.key, 'day', 'count')
  local storedDay = tonumber(stored[1] or 0)
  demand.day = math.max(math.floor(clock / DAY), storedDay)
  demand.used = 0
  if storedDay == demand.day then demand.used = tonumber(stored[2]) end
  demand.fits = not demand.enforced or demand.used + math.max(1, demand.cost) <= demand.limit
  demand.reset, demand.wait = 0, 0
  local untilMidnight = (demand.day + 1) * DAY - clock
  if demand.used > 0 then demand.reset = untilMidnight end
  if not demand.fits then demand.wait = untilMidnight end
end

local function takeMinute(demand)
  if demand.expired > 0 then redis.call('LTRIM', demand.key, 0, -1 - demand.expired) end
  for _ = 1, demand.cost do redis.call('LPUSH', demand.key, demand.now) end
  redis.call('PEXPIRE', demand.key, demand.now - clock + MINUTE + SLACK)
  if demand.used == 0 then demand.reset = demand.now + MINUTE - clock end
end

local function takeDay(demand)
  redis.call('HSET', demand.key, 'day', demand.day, 'count', demand.used + demand.cost)
  demand.reset = (demand.day + 1) * DAY - clock
  redis.call('PEXPIRE', demand.key, demand.reset + SLACK)
end

local reply, keyIndex, at = {}, 0, 2
while ARGV[at] do
  local demands, fits = {}, true
  local count = tonumber(ARGV[at])
  at = at + 1
  for i = 1, count do
    keyIndex = keyIndex + 1
    local packed = tonumber(ARGV[at + 1])
    local demand = {
      key = KEYS[keyIndex],
      limit = tonumber(ARGV[at]),
      minute = packed % 4 >= 2,
      cost = math.floor(packed / 4),
      enforced = packed % 2 == 1
    }
    at = at + 2
    if demand.minute then lookAtMinute(demand) else lookAtDay(demand) end
    fits = fits and demand.fits
    demands[i] = demand
  end
  reply[#reply + 1] = fits and 1 or 0
  for _, demand in ipairs(demands) do
    if fits and demand.cost > 0 then
      if demand.minute then takeMinute(demand) else takeDay(demand) end
      demand.used = demand.used + demand.cost
    end
    reply[#reply + 1] = math.max(0, demand.limit - demand.used)
    reply[#reply + 1] = demand.reset
    reply[#reply + 1] = demand.wait
  end
end
return reply
`;
