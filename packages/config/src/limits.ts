import { integer } from "./kinds";
import type { SettingsReader } from "./settingsReader";

/** Requests that one client may make, by lane. */
const defaults = {
  free: { globalRpm: 20, expensiveRpm: 3, subgraphDaily: 100, writeRpm: 2, writeDaily: 20, dailyTotalRequests: 500 },
  developer: {
    globalRpm: 80,
    expensiveRpm: 40,
    subgraphDaily: 3_000,
    writeRpm: 5,
    writeDaily: 100,
    dailyTotalRequests: 5_000,
  },
} as const;

export type Lane = keyof typeof defaults;

const HIGHEST = 1_000_000_000;

/** Reads `LIMIT_<FREE|DEVELOPER>_*`. The names are those that the catalog shows. */
export function readLimits(reader: SettingsReader) {
  return { free: readLane(reader, "free"), developer: readLane(reader, "developer") };
}

function readLane(reader: SettingsReader, lane: Lane) {
  const limit = integer(1, HIGHEST, "requests");
  const prefix = `LIMIT_${lane.toUpperCase()}`;
  const fallback = defaults[lane];
  return {
    globalRpm: reader.read(`${prefix}_GLOBAL_RPM`, limit, fallback.globalRpm),
    expensiveRpm: reader.read(`${prefix}_EXPENSIVE_RPM`, limit, fallback.expensiveRpm),
    subgraphDaily: reader.read(`${prefix}_SUBGRAPH_DAILY`, limit, fallback.subgraphDaily),
    writeRpm: reader.read(`${prefix}_WRITE_RPM`, limit, fallback.writeRpm),
    writeDaily: reader.read(`${prefix}_WRITE_DAILY`, limit, fallback.writeDaily),
    dailyTotalRequests: reader.read(`${prefix}_DAILY_TOTAL_REQUESTS`, limit, fallback.dailyTotalRequests),
  };
}

/** The six limits of one lane. */
export type LaneLimits = ReturnType<typeof readLane>;
