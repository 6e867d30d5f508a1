import { DAY_MS, MINUTE_MS, SLACK_MS } from "./limiter";

/** The expiry of a minute bucket is written anew at most this often: writing it costs as much as the admission. */
const EXPIRY_SPAN_MS = 15_000;

/** A day bucket is one number: its day times this, plus what was taken. */
const DAY_FACTOR = 100_000_000_000;

/** Times that no longer count are let go of once the oldest is as old as this: seldom enough to cost next to nothing. */
const OLDEST_KEPT_MS = 2 * MINUTE_MS;

/** Bytes of the script's reply for each demand: three doubles. */
export const REPLY_BYTES = 24;

/**
 * The rules of `Limiter` as one Redis script, for any number of requests in one round trip; they are judged one after another.
 *
 * Both ends pay for each argument and each number of a reply, so there are few. ARGV: the time in milliseconds (empty: Redis's
 * own clock, the same for all processes); the keys, a line for each demand, all requests in a row; and for each run of requests
 * with the same charges: the number of requests, the number of charges, and of each charge its limit and 4 * cost
 * + 2 for a minute (a day: 0) + 1 where it is enforced. The reply is three little-endian doubles for each demand: remaining,
 * resetMs and waitMs. A request was refused where one of its waits is not 0.
 *
 * A minute bucket is a string of admission times, oldest first, a double each. All buckets are read by one command, and most
 * admissions are one more: each command costs a script more than a bucket's bytes do. Keys live longer than their window by
 * at least the slack, so that the expiry, by Redis's clock, never decides anything.
 */
export const takeScript = `
local MINUTE, DAY, SLACK, SPAN, FACTOR = ${MINUTE_MS}, ${DAY_MS}, ${SLACK_MS}, ${EXPIRY_SPAN_MS}, ${DAY_FACTOR}
local KEPT = ${OLDEST_KEPT_MS}
local call, floor, max, format, find = redis.call, math.floor, math.max, string.format, string.find
local pack, unpackAt = struct.pack, struct.unpack

local clock = tonumber(ARGV[1])
if not clock then
  local time = call('TIME')
  clock = time[1] * 1000 + floor(time[2] / 1000)
end
local today = floor(clock / DAY)
local clockBytes = pack('<d', clock)

-- One client may come several times: what is held under such a key is kept as it stands after the requests judged so far.
local keys, asked, again = {}, {}, {}
do
  local lines, from, count = ARGV[2], 1, 0
  while from do
    local stop = find(lines, '\\n', from, true)
    local key = lines:sub(from, stop and stop - 1)
    count = count + 1
    keys[count] = key
    again[key] = asked[key]
    asked[key] = true
    from = stop and stop + 1
  end
end
local held = {}
for i, value in ipairs(call('MGET', unpack(keys))) do held[keys[i]] = value end

-- The charges of the present run, and what was found of each demand of the present request.
local limits, costs, costTexts, minutes, enforced = {}, {}, {}, {}, {}
local useds, resets, waits, newests, oldests, expireds, days = {}, {}, {}, {}, {}, {}, {}

-- How many bytes hold the times up to the given one: they stand in order.
local function bytesUpTo(times, last)
  local low, high = 0, #times / 8
  while low < high do
    local middle = floor((low + high + 1) / 2)
    if unpackAt('<d', times, middle * 8 - 7) <= last then low = middle else high = middle - 1 end
  end
  return low * 8
end

local function lookAtMinute(i, key)
  local times, limit, wanted = held[key] or '', limits[i], max(1, costs[i])
  local size, newest, expired, oldest = #times, 0, 0, nil
  if size > 0 then
    newest, oldest = unpackAt('<d', times, size - 7), unpackAt('<d', times)
    oldests[i] = oldest
    local last = max(clock, newest) - MINUTE
    if oldest <= last then
      expired = bytesUpTo(times, last)
      oldest = expired < size and unpackAt('<d', times, expired + 1)
    end
  end
  newests[i], expireds[i], useds[i] = newest, expired, (size - expired) / 8
  resets[i] = oldest and oldest + MINUTE - clock or 0
  waits[i] = 0
  local mustLeave = useds[i] + wanted - limit
  if mustLeave <= 0 or not enforced[i] then return true end
  local lastToLeave = clock
  if wanted <= limit then lastToLeave = unpackAt('<d', times, expired + mustLeave * 8 - 7) end
  waits[i] = lastToLeave + MINUTE - clock
  return false
end

local function lookAtDay(i, key)
  local stored = tonumber(held[key] or 0)
  local storedDay = floor(stored / FACTOR)
  days[i] = max(today, storedDay)
  useds[i] = storedDay == days[i] and stored % FACTOR or 0
  local untilMidnight = (days[i] + 1) * DAY - clock
  resets[i] = useds[i] > 0 and untilMidnight or 0
  waits[i] = 0
  if useds[i] + max(1, costs[i]) <= limits[i] or not enforced[i] then return true end
  waits[i] = untilMidnight
  return false
end

local function takeMinute(i, key)
  local times, newest, expired = held[key] or '', newests[i], expireds[i]
  local now, taken = clock, clockBytes
  if newest > clock then now, taken = newest, pack('<d', newest) end
  if costs[i] > 1 then taken = taken:rep(costs[i]) end
  local expiry = now - clock + MINUTE + SLACK + SPAN
  if expired == #times or oldests[i] <= now - KEPT then
    times = times:sub(expired + 1)
    call('SET', key, times .. taken, 'PX', expiry)
  else
    call('APPEND', key, taken)
    if floor(newest / SPAN) ~= floor(now / SPAN) then call('PEXPIRE', key, expiry) end
  end
  if again[key] then held[key] = times .. taken end
  if useds[i] == 0 then resets[i] = now + MINUTE - clock end
end

local function takeDay(i, key)
  resets[i] = (days[i] + 1) * DAY - clock
  held[key] = days[i] * FACTOR + useds[i] + costs[i]
  if useds[i] > 0 then
    call('INCRBY', key, costTexts[i])
  else
    call('SET', key, format('%d', held[key]), 'PX', resets[i] + SLACK)
  end
end

local reply, keyAt, numbers = {}, 0, ARGV[3]:gmatch('%d+')
for requests in numbers do
  local charges = tonumber(numbers())
  for i = 1, charges do
    limits[i] = tonumber(numbers())
    local packed = tonumber(numbers())
    costs[i], minutes[i], enforced[i] = floor(packed / 4), packed % 4 >= 2, packed % 2 == 1
    costTexts[i] = format('%d', costs[i])
  end
  for _ = 1, tonumber(requests) do
    local admitted = true
    for i = 1, charges do
      local look = minutes[i] and lookAtMinute or lookAtDay
      if not look(i, keys[keyAt + i]) then admitted = false end
    end
    for i = 1, charges do
      if admitted and costs[i] > 0 then
        local take = minutes[i] and takeMinute or takeDay
        take(i, keys[keyAt + i])
        useds[i] = useds[i] + costs[i]
      end
      reply[keyAt + i] = pack('<ddd', max(0, limits[i] - useds[i]), resets[i], waits[i])
    end
    keyAt = keyAt + charges
  end
end
return table.concat(reply)
`;
