import { DAY_MS, MINUTE_MS, SLACK_MS } from "./limiter";

/** The expiry of a key is written anew at most this often: writing it costs as much as the admission. */
const EXPIRY_SPAN_MS = 15_000;

/** A day bucket is one number: its day times this, plus what was taken. */
const DAY_FACTOR = 100_000_000_000;

/** Times that no longer count are let go of once the oldest is as old as this: seldom enough to cost next to nothing. */
const OLDEST_KEPT_MS = 2 * MINUTE_MS;

/** Numbers of the script's reply for each demand. */
export const REPLY_NUMBERS = 2;

/** Times are kept in four bytes: without what is the same for all within some weeks of each other. */
const TIME_SPAN_MS = 2 ** 32;

/**
 * The rules of `Limiter` as one Redis script, for any number of requests in one round trip; they are judged one after another.
 *
 * Both ends pay for each argument and each key, so there are few. ARGV: the time in milliseconds (empty: Redis's own clock, the
 * same for all processes); the keys, a line for each, all requests in a row; and for each run of requests that ask for the same:
 * the number of requests, of their keys and of their charges, and of each charge its key's place among theirs, its limit and
 * 4 * cost + 2 for a minute (a day: 0) + 1 where it is enforced. The reply is two numbers for each demand in a row: remaining
 * and resetMs, which is negative where the bucket refused. A request was refused where one of them is.
 *
 * A key holds one minute bucket, the times of its admissions, oldest first, and behind it one day bucket, eight bytes. All keys are
 * read by one command, and most admissions are written by one: a time and the day's new count over the old one. For the script a
 * command costs far more than its bytes. Keys live longer than their windows by at least the slack, so that the expiry, by Redis's
 * clock, never decides anything.
 */
export const takeScript = `
local MINUTE, DAY, SLACK, SPAN, FACTOR = ${MINUTE_MS}, ${DAY_MS}, ${SLACK_MS}, ${EXPIRY_SPAN_MS}, ${DAY_FACTOR}
local KEPT, TIMES = ${OLDEST_KEPT_MS}, ${TIME_SPAN_MS}
local call, floor, max = redis.call, math.floor, math.max
local pack, unpackAt = struct.pack, struct.unpack

local clock = tonumber(ARGV[1])
if not clock then
  local time = call('TIME')
  clock = time[1] * 1000 + floor(time[2] / 1000)
end
local today = floor(clock / DAY)
local ahead = clock + TIMES / 2

-- One client may come several times: its keys are held where they came first.
local keys, places, firsts, count = {}, {}, {}, 0
for key in ARGV[2]:gmatch('[^\\n]+') do
  count = count + 1
  keys[count] = key
  places[count] = firsts[key] or count
  firsts[key] = places[count]
end
-- What a key held when it was read; what was changed since is read once more where somebody asks for it.
local values, changed = call('MGET', unpack(keys)), {}

local function read(place)
  if changed[place] then values[place], changed[place] = call('GET', keys[place]), false end
  return values[place]
end

local function packTime(time) return pack('<I4', time % TIMES) end
local clockBytes = packTime(clock)

local function timesIn(value) return value and (#value - 8) / 4 or 0 end

local function timeAt(value, index)
  return ahead - (ahead - unpackAt('<I4', value, index * 4 - 3)) % TIMES
end

-- How many times are not after the given one: they stand in order.
local function countUpTo(value, size, last)
  local low, high = 0, size
  while low < high do
    local middle = floor((low + high + 1) / 2)
    if timeAt(value, middle) <= last then low = middle else high = middle - 1 end
  end
  return low
end

-- The charges of the present run, and what was found of each demand of the present request.
local owns, limits, costs, minutes, enforced = {}, {}, {}, {}, {}
local useds, resets, newests, oldests, expireds, days = {}, {}, {}, {}, {}, {}

local function lookAtMinute(i, value)
  local size, newest, expired, oldest = timesIn(value), 0, 0, nil
  if size > 0 then
    newest, oldest = timeAt(value, size), timeAt(value, 1)
    oldests[i] = oldest
    local last = max(clock, newest) - MINUTE
    if oldest <= last then
      expired = countUpTo(value, size, last)
      oldest = expired < size and timeAt(value, expired + 1)
    end
  end
  local limit, wanted = limits[i], max(1, costs[i])
  newests[i], expireds[i], useds[i] = newest, expired, size - expired
  resets[i] = oldest and oldest + MINUTE - clock or 0
  local mustLeave = useds[i] + wanted - limit
  if mustLeave <= 0 or not enforced[i] then return true end
  local lastToLeave = clock
  if wanted <= limit then lastToLeave = timeAt(value, expired + mustLeave) end
  resets[i] = clock - lastToLeave - MINUTE
  return false
end

local function dayOf(value) return (unpackAt('<d', value, #value - 7)) end

local function lookAtDay(i, value)
  local stored = value and dayOf(value) or 0
  local used, day = stored % FACTOR, floor(stored / FACTOR)
  if day < today then used, day = 0, today end
  days[i], useds[i] = day, used
  local untilMidnight = (day + 1) * DAY - clock
  resets[i] = used > 0 and untilMidnight or 0
  if used + max(1, costs[i]) <= limits[i] or not enforced[i] then return true end
  resets[i] = -untilMidnight
  return false
end

-- How long a key must live that was taken from just now, and whose day bucket is the given number.
local function lifeOf(now, stored)
  return max(now, (floor(stored / FACTOR) + 1) * DAY) + MINUTE + SLACK + SPAN - clock
end

local function write(place, value, life)
  call('SET', keys[place], value, 'PX', life)
  values[place], changed[place] = value, false
end

-- What the present request adds to a key: written together, behind the times that it holds.
local pendingTimes, pendingDays = {}, {}

local function flush(place)
  local times, day = pendingTimes[place], pendingDays[place]
  if not times and not day then return end
  local value = values[place]
  -- As text: of a number Redis makes text as of a fraction, and that costs.
  call('SETRANGE', keys[place], ('%d'):format(#value - 8), (times or '') .. (day or value:sub(-8)))
  pendingTimes[place], pendingDays[place], changed[place] = nil, nil, true
end

local function takeMinute(i, place)
  local newest, expired, value = newests[i], expireds[i], values[place]
  local now, taken = clock, clockBytes
  if newest > clock then now, taken = newest, packTime(newest) end
  if costs[i] > 1 then taken = taken:rep(costs[i]) end
  if useds[i] == 0 then resets[i] = now + MINUTE - clock end
  if newest == 0 or useds[i] == 0 or oldests[i] <= now - KEPT then
    value = read(place) or pack('<d', 0)
    write(place, value:sub(expired * 4 + 1, -9) .. taken .. value:sub(-8), lifeOf(now, dayOf(value)))
    return
  end
  pendingTimes[place] = taken
  if floor(newest / SPAN) ~= floor(now / SPAN) then
    call('PEXPIRE', keys[place], lifeOf(now, dayOf(value)))
  end
end

local function takeDay(i, place)
  local stored = days[i] * FACTOR + useds[i] + costs[i]
  local bytes = pack('<d', stored)
  resets[i] = (days[i] + 1) * DAY - clock
  if useds[i] > 0 then
    pendingDays[place] = bytes
  else
    -- Times of a day that is over must go while four bytes still tell how old they are.
    local value = read(place)
    local size = timesIn(value)
    local counts = size > 0 and timeAt(value, size) > clock - KEPT
    write(place, counts and value:sub(1, -9) .. bytes or bytes, lifeOf(clock, stored))
  end
end

local reply, keyAt, replyAt, numbers = {}, 0, 0, ARGV[3]:gmatch('%d+')
for requests in numbers do
  local keyCount, charges = tonumber(numbers()), tonumber(numbers())
  for i = 1, charges do
    owns[i], limits[i] = tonumber(numbers()), tonumber(numbers())
    local packed = tonumber(numbers())
    costs[i], minutes[i], enforced[i] = floor(packed / 4), packed % 4 >= 2, packed % 2 == 1
  end
  for _ = 1, tonumber(requests) do
    local admitted = true
    for i = 1, charges do
      local look = minutes[i] and lookAtMinute or lookAtDay
      if not look(i, read(places[keyAt + owns[i]])) then admitted = false end
    end
    for i = 1, charges do
      if admitted and costs[i] > 0 then
        local take = minutes[i] and takeMinute or takeDay
        take(i, places[keyAt + owns[i]])
        useds[i] = useds[i] + costs[i]
      end
      reply[replyAt + 1], reply[replyAt + 2] = max(0, limits[i] - useds[i]), resets[i]
      replyAt = replyAt + 2
    end
    for i = 1, keyCount do flush(places[keyAt + i]) end
    keyAt = keyAt + keyCount
  end
end
return reply
`;
