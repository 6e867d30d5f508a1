import type { Lane, LaneLimits } from "@dueday/config/limits";
import type { Config } from "@dueday/config/parseConfig";
import { MOST_CHALLENGES } from "@dueday/core/webhooks/webhook";
import type { Bucket } from "../operation/defineOperation";
import type { LimitWindow } from "./limiter";

const MEBIBYTE = 1024 * 1024;

/** The limits that /catalog lists. Their figures are settings, by lane (`LIMIT_<LANE>_<NAME>`). */
export type LimitName = keyof LaneLimits;

export const limitWindows: Readonly<Record<LimitName, LimitWindow>> = {
  globalRpm: "minute",
  expensiveRpm: "minute",
  subgraphDaily: "day",
  writeRpm: "minute",
  writeDaily: "day",
  dailyTotalRequests: "day",
};

/** A call takes one from each of these. */
export const bucketLimits: Readonly<Record<Bucket, readonly LimitName[]>> = {
  unlimited: ["dailyTotalRequests"],
  rejected: ["dailyTotalRequests"],
  cheap: ["globalRpm", "dailyTotalRequests"],
  expensive: ["globalRpm", "expensiveRpm", "dailyTotalRequests"],
  history: ["globalRpm", "expensiveRpm", "subgraphDaily", "dailyTotalRequests"],
  write: ["writeRpm", "writeDaily", "dailyTotalRequests"],
};

/** A limit that is the same on every lane. */
export type FixedLimit = { name: string; limit: number; window: LimitWindow };

/** For each address. */
export const failedAuthentications: FixedLimit = { name: "failedAuthentications", limit: 30, window: "minute" };
export const keyCreationsPerAddress: FixedLimit = { name: "keyCreationsPerAddress", limit: 10, window: "minute" };
export const keyCreationsPerSubject: FixedLimit = { name: "keyCreationsPerSubject", limit: 5, window: "minute" };
/** For each address of a client, and not for each wallet: anybody can name any wallet, and could lock its owner out. */
export const portalChallenges: FixedLimit = { name: "portalChallenges", limit: 5, window: "minute" };

/**
 * For each address, over all wallets that sign in from it and all of their keys, because new wallets cost nothing. The limits are high
 * enough for dozens of people in an office.
 */
export const portalChallengesDaily: FixedLimit = { name: "portalChallengesDaily", limit: 200, window: "day" };
export const keyCreationsDaily: FixedLimit = { name: "keyCreationsDaily", limit: 50, window: "day" };
export const webhookCreationsDaily: FixedLimit = { name: "webhookCreationsDaily", limit: 100, window: "day" };
/** For each webhook: a replay sends up to a month of events. */
export const webhookReplaysDaily: FixedLimit = { name: "webhookReplaysDaily", limit: 20, window: "day" };
/** For each webhook, in any 24 hours: the database counts them (`addChallenge`), and not the limiter. */
export const webhookChallenges: FixedLimit = { name: "webhookChallenges", limit: MOST_CHALLENGES, window: "day" };
/** For each address, and for each account. The limit for each mailbox is in the database, and is not shown to clients. */
export const mailConfirmationsPerAddress: FixedLimit = { name: "mailConfirmationsPerAddress", limit: 3, window: "day" };
export const mailConfirmationsPerAccount: FixedLimit = { name: "mailConfirmationsPerAccount", limit: 3, window: "day" };
/** For each address: refused tokens of links in mails. A valid token is accepted even beyond this limit. */
export const failedMailTokens: FixedLimit = { name: "failedMailTokens", limit: 5, window: "minute" };

/** Bytes of a list that count as one message. */
export const LISTING_BYTES = 32 * 1024;
/**
 * For each address: MCP messages that call no tool and read no resource (initialize, ping, lists, discover and unknown methods), and
 * HTTP requests that contain only notifications. A list counts once for each `LISTING_BYTES` of it, so that an address gets 4 MB of lists
 * a minute. The first such message of an HTTP request takes from no other limit; each further one is a cheap call.
 */
export const mcpListings: FixedLimit = { name: "mcpListings", limit: 120, window: "minute" };

/** One HTTP request to /mcp. */
export const mcpRequest = { maxMessages: 20, maxAnswerBytes: 2 * MEBIBYTE };

/**
 * Memory for answers that their clients have not read yet. Smaller answers fit into the socket's own buffer, and answers that all
 * clients share (snapshots, documents, scripts) take no memory for each reader.
 */
export const unreadAnswers = {
  countedFromBytes: 16 * 1024,
  maxBytesPerAddress: 8 * MEBIBYTE,
  maxBytes: 16 * MEBIBYTE,
  /** A client that reads nothing for this time is disconnected. */
  deadlineSeconds: 30,
};

/** Event streams that may be open at a time, in each process: for an address on the free lane, and for a developer key or a signed-in account. */
export const eventStreams = {
  most: { free: 3, developer: 25 } satisfies Record<Lane, number>,
  /** Of an address, without those of keys that the admin created. */
  mostOfAddress: 100,
  /** Of all clients: 1,000 streams take 139 MB (docs/scaling.md). */
  mostOfProcess: 3_000,
  /** A reader that takes nothing for this time is disconnected. Streams have a comment at least every 15 s. */
  deadlineSeconds: 40,
};

/** The `upgradeHint` of a 429: how to get more than the lane allows. */
export function upgradeHints({
  developerKeysEnabled,
  developerPortalUrl,
}: Pick<Config, "developerKeysEnabled" | "developerPortalUrl">): Readonly<Record<Lane, string>> {
  const issuer = developerPortalUrl ?? "the operator of this service";
  return {
    free: developerKeysEnabled
      ? `A developer key has higher limits: get one from ${issuer} and send it as Authorization: Bearer <API_KEY>`
      : "Wait for the seconds in Retry-After, and poll with If-None-Match",
    developer:
      "This is the highest lane: poll with If-None-Match, spread requests out, or prepare transactions with your own node",
  };
}
