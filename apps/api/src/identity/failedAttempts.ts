import { ServiceError } from "@dueday/core/errors";
import type { BucketState, Decision, Demand, Limiter } from "../limits/limiter";
import { failedAuthentications } from "../limits/policy";
import { rateLimited } from "../limits/rateLimited";
import type { ClientIdentity } from "./clientIdentity";

/** Limits how often a client may present credentials that are wrong. */
export type FailedAttempts = {
  /**
   * Runs one check of a client after another, so that a failure is counted before the next check begins.
   *
   * @param check gets the client's previous check, and has to wait for it
   */
  enqueue<T>(client: ClientIdentity, check: (before: Promise<unknown> | undefined) => Promise<T>): Promise<T>;
  /**
   * Counts a failure; a cost of 0 only checks that one is left.
   *
   * @throws ServiceError RATE_LIMITED where no failure is left
   */
  take(client: ClientIdentity, cost: 0 | 1): Promise<Decision>;
};

export function createFailedAttempts(limiter: Limiter): FailedAttempts {
  /** The latest check of each client that has a check running. */
  const checks = new Map<string, Promise<unknown>>();
  return {
    async enqueue({ hash }, check) {
      const turn = check(checks.get(hash));
      checks.set(hash, turn);
      try {
        return await turn;
      } finally {
        if (checks.get(hash) === turn) checks.delete(hash);
      }
    },
    async take({ hash, previousHash }, cost) {
      const hashes = previousHash === null ? [hash] : [hash, previousHash];
      const demands = hashes.map(
        (each): Demand => ({ ...failedAuthentications, identity: `client:${each}`, cost, enforced: true }),
      );
      const decision = await limiter.take(demands);
      if (!decision.admitted) throw rateLimited(decision, { lane: "none", upgradeHint: FAILURES_HINT });
      return decision;
    },
  };
}

const FAILURES_HINT = "Correct the credentials, or send none to use the free lane";

/** The 401 for credentials that were wrong. */
export class CredentialsRejected extends ServiceError {
  /** What is left of the failures, for the RateLimit fields. */
  readonly consulted: readonly BucketState[];

  constructor({ states }: Decision, message: string) {
    super("UNAUTHORIZED", message, { headers: { "WWW-Authenticate": "Bearer" } });
    this.consulted = states;
  }
}
