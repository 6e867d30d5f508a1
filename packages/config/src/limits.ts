import { integer } from "./kinds";
import type { SettingsReader } from "./settingsReader";

/** Requests that one client may make, by lane, unless a setting changes them. */
export const canonicalLimits = {
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

export type Lane = keyof typeof canonicalLimits;

/** The six limits of one lane. */
export type LaneLimits = Record<keyof (typeof canonicalLimits)[Lane], number>;

/** Name of the setting of a limit, such as LIMIT_FREE_GLOBAL_RPM. */
export function limitSetting(lane: Lane, name: keyof LaneLimits): string {
  return `LIMIT_${lane}_${name.replace(/[A-Z]/g, "_$&")}`.toUpperCase();
}

const HIGHEST = 1_000_000_000;

/** Reads `LIMIT_<FREE|DEVELOPER>_*`. The fields of the result have the names that the catalog shows, such as `globalRpm`. */
export function readLimits(reader: SettingsReader) {
  return { free: readLane(reader, "free"), developer: readLane(reader, "developer") };
}

/**
 * All keys and sessions of an IP address, except keys that the admin created, together have the limits of this number of keys: so a new wallet does not give
 * a person new limits, and the people of an office can share an address.
 */
export const CANONICAL_ADDRESS_SHARE = 10;

/** Reads `LIMIT_ADDRESS_SHARE`. */
export function readAddressShare(reader: SettingsReader): number {
  return reader.read("LIMIT_ADDRESS_SHARE", integer(1, 1_000_000, "developer keys"), CANONICAL_ADDRESS_SHARE);
}

function readLane(reader: SettingsReader, lane: Lane): LaneLimits {
  const limit = integer(1, HIGHEST, "requests");
  const fallback = canonicalLimits[lane];
  return {
    globalRpm: reader.read(limitSetting(lane, "globalRpm"), limit, fallback.globalRpm),
    expensiveRpm: reader.read(limitSetting(lane, "expensiveRpm"), limit, fallback.expensiveRpm),
    subgraphDaily: reader.read(limitSetting(lane, "subgraphDaily"), limit, fallback.subgraphDaily),
    writeRpm: reader.read(limitSetting(lane, "writeRpm"), limit, fallback.writeRpm),
    writeDaily: reader.read(limitSetting(lane, "writeDaily"), limit, fallback.writeDaily),
    dailyTotalRequests: reader.read(limitSetting(lane, "dailyTotalRequests"), limit, fallback.dailyTotalRequests),
  };
}
