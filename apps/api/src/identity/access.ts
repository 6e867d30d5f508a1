import type { Config } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import type { Database } from "@dueday/db/connectDatabase";
import type { Exchange } from "../http/exchange";
import type { Demand, Limiter } from "../limits/limiter";
import { rateLimited } from "../limits/rateLimited";
import type { Bucket } from "../operation/defineOperation";
import { type Authenticate, createAuthenticate, managementSecret } from "./authenticate";
import type { Caller } from "./caller";
import type { createClientIdentity } from "./clientIdentity";
import type { DeveloperKeys } from "./keys/developerKeys";

/** Lanes, keys and limits of one API process. */
export type Access = {
  authenticate: Authenticate;
  /**
   * Takes from the buckets of all calls in a request, and goes on: with RATE_LIMITED where it took nothing, since it is refused.
   * Notes on the exchange what was consulted.
   */
  count<T>(
    exchange: Exchange,
    caller: Caller,
    calls: readonly Bucket[],
    goOn: (refusal: ServiceError | null) => T | Promise<T>,
  ): T | Promise<T>;
  /** @throws ServiceError RATE_LIMITED: 10 creations a minute for an address, 5 for a subject. */
  countKeyCreation(client: string, subjectId: string): Promise<void>;
  /** Whether keys can be managed: there is an admin secret, and developer keys are not switched off. */
  managesKeys: boolean;
  keys: DeveloperKeys;
  database: Database;
};

export type AccessParts = {
  config: Config;
  /** Unix milliseconds. */
  clock: () => number;
  database: Database;
  identify: ReturnType<typeof createClientIdentity>;
  keys: DeveloperKeys;
  limiter: Limiter;
};

const CREATIONS_PER_ADDRESS = 10;
const CREATIONS_PER_SUBJECT = 5;

export function createAccess(parts: AccessParts): Access {
  const { config, limiter, keys, database } = parts;
  const upgradeHints = { free: freeHint(config), developer: DEVELOPER_HINT };

  return {
    authenticate: createAuthenticate(parts),
    count(exchange, { lane, counted }, calls, goOn) {
      return counted.take(calls, (taking) => {
        exchange.taking = taking;
        return goOn(taking.admitted ? null : rateLimited(taking, { lane, upgradeHint: upgradeHints[lane] }));
      });
    },
    async countKeyCreation(client, subjectId) {
      const subject = new Bun.CryptoHasher("sha256").update(subjectId).digest("base64url");
      const taking = await limiter.take([
        creationDemand("keyCreationsPerAddress", `client:${client}`, CREATIONS_PER_ADDRESS),
        creationDemand("keyCreationsPerSubject", `subject:${subject}`, CREATIONS_PER_SUBJECT),
      ]);
      const upgradeHint = "Create keys one after another; a key serves any number of processes";
      if (!taking.admitted) throw rateLimited(taking, { lane: "free", upgradeHint });
    },
    managesKeys: managementSecret(config) !== null,
    keys,
    database,
  };
}

/** What a gate answers for key management that is closed. */
export function keysDisabled(): ServiceError {
  return new ServiceError(
    "KEYS_DISABLED",
    "Developer keys can't be managed here: ADMIN_SECRET is not set, or DEVELOPER_KEYS_ENABLED is false",
  );
}

function creationDemand(name: string, identity: string, limit: number): Demand {
  return { name, identity, limit, window: "minute", cost: 1, enforced: true };
}

const DEVELOPER_HINT =
  "This is the highest lane: poll with If-None-Match, spread requests out, or prepare transactions with your own node";

function freeHint({ developerKeysEnabled, developerPortalUrl }: Config): string {
  if (!developerKeysEnabled) return "Wait as long as Retry-After says; poll with If-None-Match";
  const where = developerPortalUrl === null ? "the operator of this service" : developerPortalUrl;
  return `A developer key has higher limits: get one from ${where} and send it as Authorization: Bearer <API_KEY>`;
}
