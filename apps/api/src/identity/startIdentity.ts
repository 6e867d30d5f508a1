import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import { rotateIdentityKey } from "@dueday/db/access/rotateIdentityKey";
import type { Database } from "@dueday/db/connectDatabase";
import { DAY_MS, type Limiter } from "../limits/limiter";
import { createAuthenticate } from "./authenticate";
import { clientAddress, isTrustedClient, type Origin, parseRange } from "./clientAddress";
import { type ClientIdentity, createClientIdentity, identityPeriod } from "./clientIdentity";
import type { Authenticate } from "./credentials";
import { createDeveloperKeys, type DeveloperKeys } from "./developerKeys";
import { managementSecret } from "./managementSecret";
import { createPortalSessions, type PortalSessions } from "./portalSessions";
import { type PortalSite, portalSite } from "./portalSite";
import { createProxyWarning } from "./proxyWarning";

export type IdentityOptions = {
  config: Config;
  logger: Logger;
  database: Database;
  /** Unix milliseconds. */
  clock: () => number;
  limiter: Limiter;
};

/** The developer portal: where it is, or why it is closed, and who is signed in to it. */
export type Portal = { site: PortalSite | { closed: string }; sessions: PortalSessions };

/** Who makes requests. */
export type Identity = {
  /** The client by its address, without credentials. */
  identify(origin: Origin): ClientIdentity;
  authenticate: Authenticate;
  /** Null where developer keys can't be managed: there is no admin secret, or they are switched off. */
  keys: Pick<DeveloperKeys, "forget"> | null;
  portal: Portal;
  close(): Promise<void>;
};

const ROTATE_EVERY_MS = 3_600_000;
const MAX_CACHED_CLIENTS = 20_000;
/** An address that sends no more leaves memory with a request of another, at most three of these periods later (docs/privacy.md). */
const CACHED_MS = 300_000;
/** Longer X-Forwarded-For headers are not cached: a client can write any length. */
const MAX_CACHED_FORWARDED_FOR = 256;

/** Starts client identification: the key that hashes addresses, and the cache of developer keys. */
export async function startIdentity({ config, logger, database, clock, limiter }: IdentityOptions): Promise<Identity> {
  // The key of the day before is needed too: around midnight its hashes still count.
  const rotate = () => rotateIdentityKey(database, Math.floor(clock() / DAY_MS) - 1);
  const identify = createIdentify({ config, logger, clock }, createClientIdentity(await rotate()));
  const rotation = setInterval(() => {
    rotate().catch((err: unknown) => logger.warn({ err }, "the key that hides client addresses could not be rotated"));
  }, ROTATE_EVERY_MS);
  const keys = createDeveloperKeys({
    database,
    clock,
    onError: (err) => logger.warn({ err }, "revocations of developer keys can't be read: known keys go on working"),
  });
  const site = portalSite(config);
  const sessions = createPortalSessions(database, clock);
  const openPortal = "closed" in site ? null : { site, sessions };
  return {
    identify,
    authenticate: createAuthenticate({ config, keys, limiter, portal: openPortal }),
    portal: { site, sessions },
    keys: managementSecret(config) === null ? null : keys,
    async close() {
      clearInterval(rotation);
      await keys.close();
    },
  };
}

/**
 * Caches identities in two generations: the clients of the current five minutes, and those of the five minutes before, which move to the
 * current generation with their next request. A client that goes on sending keeps its identity object: a new one would lie between the
 * garbage of requests in the heap, and keep more memory in use (test/soak/memory.ts).
 */
function createIdentify(
  { config, logger, clock }: Pick<IdentityOptions, "config" | "logger" | "clock">,
  identityOf: ReturnType<typeof createClientIdentity>,
): Identity["identify"] {
  const proxies = config.trustedProxies.map(parseRange);
  const clients = config.trustedClients.map(parseRange);
  let current = new Map<string, ClientIdentity>();
  let before = new Map<string, ClientIdentity>();
  const lookForProxy = createProxyWarning(logger, proxies);
  let startedAt = 0;
  let period = 0;
  const identify = (origin: Origin, now: number) => {
    const address = clientAddress(origin, proxies);
    return identityOf(address, now, isTrustedClient(address, origin, { clients, proxies }));
  };
  const startGeneration = (now: number) => {
    const age = Math.abs(now - startedAt);
    const isValid = identityPeriod(now) === period;
    if (isValid && age < CACHED_MS && current.size < MAX_CACHED_CLIENTS / 2) return;
    before = isValid && age < 2 * CACHED_MS ? current : new Map();
    current = new Map();
    startedAt = now;
    period = identityPeriod(now);
  };
  return (origin) => {
    const now = clock();
    const { peer, forwardedFor } = origin;
    if (forwardedFor !== null && forwardedFor.length > MAX_CACHED_FORWARDED_FOR) {
      lookForProxy(origin, now);
      return identify(origin, now);
    }
    startGeneration(now);
    const key = `${peer} ${forwardedFor}`;
    const known = current.get(key);
    if (known !== undefined) return known;
    lookForProxy(origin, now);
    const identity = before.get(key) ?? identify(origin, now);
    current.set(key, identity);
    return identity;
  };
}

/** The answer of key management that is closed. */
export function keysDisabled(): ServiceError {
  return new ServiceError(
    "KEYS_DISABLED",
    "Developer keys can't be managed on this service: its operator has to set ADMIN_SECRET, and DEVELOPER_KEYS_ENABLED must not be false",
  );
}
