import { ServiceError } from "@dueday/core/errors";
import type { unreadAnswers } from "../limits/policy";
import type { Exchange } from "./exchange";

/** Bounds the memory of answers that their clients have not read yet. */
export type UnreadAnswers = {
  /**
   * Counts an answer that is about to be built, and resolves in a turn of the event loop in which no other counted answer is built:
   * otherwise all answers of one turn would be in memory together, even where their clients read them.
   *
   * @throws ServiceError as `hold`
   */
  beforeBuilding(exchange: Exchange): Promise<void>;
  /**
   * Counts the answer of a request, once, until it has been sent or its connection is closed.
   *
   * @throws ServiceError RATE_LIMITED where its client, or all clients together, have too much unread. The oldest of these answers are
   * cut off then, so that there is room again within seconds.
   * The size is known only when the answer is complete: what the request took from its buckets stays taken.
   */
  hold(exchange: Exchange): void;
};

type Unread = Pick<Exchange, "peers" | "client"> & { bytes: number; isCutOff: boolean };

/** The shortest time-out of a connection; the server checks time-outs every 4 s. */
const AT_ONCE_SECONDS = 1;
const RETRY_AFTER_SECONDS = 5;

export function createUnreadAnswers(policy: typeof unreadAnswers): UnreadAnswers {
  const { countedFromBytes, maxBytesPerAddress, maxBytes, deadlineSeconds } = policy;
  /** Oldest first. */
  const held = new Map<Request, Unread>();
  let lastTurn = Promise.resolve();

  /** Drops what has been sent: Bun has no event for the end of an answer. */
  function dropSent(): void {
    for (const [request, { peers }] of held) if (peers.requestIP(request) === null) held.delete(request);
  }

  /** Cuts off the oldest of these answers until `bytes` more fit below `limit`. @returns false where they do not fit now */
  function makeRoom(answers: readonly (readonly [Request, Unread])[], bytes: number, limit: number): boolean {
    let excess = sum(answers) + bytes - limit;
    if (excess <= 0) return true;
    for (const [request, each] of answers) {
      if (excess <= 0) break;
      if (!each.isCutOff) each.peers.timeout(request, AT_ONCE_SECONDS);
      each.isCutOff = true;
      excess -= each.bytes;
    }
    return false;
  }

  /** Counts an answer that is large enough. @returns whether it is */
  function hold({ request, peers, client, method, lane, answerBytes: bytes }: Exchange): boolean {
    if (bytes < countedFromBytes || method === "HEAD") return false;
    if (held.has(request)) return true;
    dropSent();
    const ofClient = [...held].filter(([, each]) => each.client === client);
    if (!makeRoom(ofClient, bytes, maxBytesPerAddress)) throw tooMuchUnread(policy, lane, "unreadAnswersPerAddress");
    if (!makeRoom([...held], bytes, maxBytes)) throw tooMuchUnread(policy, lane, "unreadAnswers");
    peers.timeout(request, deadlineSeconds);
    held.set(request, { peers, client, bytes, isCutOff: false });
    return true;
  }

  return {
    hold,
    async beforeBuilding(exchange) {
      if (!hold(exchange)) return;
      lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
      await lastTurn;
    },
  };
}

function sum(answers: readonly (readonly [Request, Unread])[]): number {
  return answers.reduce((total, [, { bytes }]) => total + bytes, 0);
}

const READ_FIRST = "Read each answer to its end before you request further ones";

function tooMuchUnread(
  { maxBytesPerAddress, maxBytes, deadlineSeconds }: typeof unreadAnswers,
  lane: Exchange["lane"],
  bucket: "unreadAnswersPerAddress" | "unreadAnswers",
): ServiceError {
  const [limit, whose] =
    bucket === "unreadAnswers"
      ? [maxBytes, "all clients together"]
      : [maxBytesPerAddress, "all connections of your address"];
  const message = `${bucket} allows ${limit} bytes of unread answers for ${whose}: read the answers, or try again in ${RETRY_AFTER_SECONDS} s`;
  return new ServiceError("RATE_LIMITED", message, {
    headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
    body: { lane, upgradeHint: READ_FIRST, bucket, limit, windowSeconds: deadlineSeconds },
    retryable: true,
  });
}
