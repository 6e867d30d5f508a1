import type { Config } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import type { Exchange } from "../http/exchange";
import { Counted } from "../limits/counted";
import { type Demand, type Limiter, MINUTE_MS } from "../limits/limiter";
import { rateLimited } from "../limits/rateLimited";
import { parseRange } from "./address";
import type { Caller } from "./caller";
import { Client } from "./client";
import { clientAddress, type Origin } from "./clientAddress";
import type { createClientIdentity } from "./clientIdentity";
import type { DeveloperKeys } from "./keys/developerKeys";
import { isAdminSecret } from "./keys/isAdminSecret";
import { hashKeyText } from "./keys/keyText";
import { createOriginMap } from "./originMap";
import { createRecentMap } from "./recentMap";

export type AuthenticateParts = {
  config: Config;
  /** Unix milliseconds. */
  clock: () => number;
  identify: ReturnType<typeof createClientIdentity>;
  keys: DeveloperKeys;
  limiter: Limiter;
};

/**
 * Says who makes a request, without waiting where nothing has to be looked up. Notes lane and client on the exchange.
 *
 * @throws ServiceError UNAUTHORIZED for credentials that are not right: they never fall back to the free lane; RATE_LIMITED for
 * too many of those; UPSTREAM_UNAVAILABLE when a key can't be looked up
 */
export type Authenticate = (exchange: Exchange) => Caller | Promise<Caller>;

/** Failed authentications an address may make in any minute. */
const FAILURES_PER_MINUTE = 30;
const CLIENTS_KEPT = 20_000;
const MANAGEMENT = "/developer/keys";
const BEARER = /^bearer +([^\s]+) *$/i;

/** Whether a path, known or not, belongs to key management: there the admin secret counts, a developer key does not. */
export function isManagementPath(path: string): boolean {
  return path === MANAGEMENT || path.startsWith(`${MANAGEMENT}/`);
}

/** The secret that key management is open with; null where it is closed. */
export function managementSecret(config: Config): string | null {
  return config.developerKeysEnabled ? config.adminSecret : null;
}

export function createAuthenticate({ config, clock, identify, keys, limiter }: AuthenticateParts): Authenticate {
  const { free, developer } = config.limits;
  const trusted = config.trustedProxies.map(parseRange);
  const secret = managementSecret(config);
  // Clients of this minute: a new day, and the end of its overlap with the last, begin with a minute.
  let minute = 0;
  let recent = createOriginMap<Client>(CLIENTS_KEPT);
  const countedKeys = createRecentMap<Counted>({ keptMs: MINUTE_MS, maxEntries: CLIENTS_KEPT });

  return (exchange) => {
    const { request } = exchange;
    const forwardedFor = trusted.length === 0 ? null : request.headers.get("x-forwarded-for");
    const caller = clientOf({ peer: exchange.peers.requestIP(request)?.address ?? null, forwardedFor });
    exchange.client = caller.client;
    exchange.lane = "free";
    if (isManagementPath(exchange.path)) return secret === null ? caller : asAdmin(exchange, caller, secret);
    const { authorization } = exchange;
    if (authorization === null) return caller;
    exchange.lane = "none";
    return withKey(exchange, caller, authorization);
  };

  function clientOf(origin: Origin): Client {
    const now = clock();
    if (Math.floor(now / MINUTE_MS) !== minute) {
      minute = Math.floor(now / MINUTE_MS);
      recent = createOriginMap<Client>(CLIENTS_KEPT);
    }
    const known = recent.get(origin);
    if (known !== undefined) return known;
    const client = new Client(identify(clientAddress(origin, trusted), now), limiter, free);
    recent.add(origin, client);
    return client;
  }

  function developerCaller(exchange: Exchange, { client }: Client, keyId: string): Caller {
    exchange.lane = "developer";
    keys.noteUse(keyId);
    const counted =
      countedKeys.get(keyId) ??
      new Counted({ limiter, identity: `developer:${keyId}`, previousIdentity: null, limits: developer });
    countedKeys.tick(clock());
    countedKeys.set(keyId, counted);
    return { lane: "developer", client, counted };
  }

  function withKey(exchange: Exchange, client: Client, authorization: string): Caller | Promise<Caller> {
    const text = BEARER.exec(authorization)?.[1];
    const hash = text === undefined || !config.developerKeysEnabled ? null : hashKeyText(text);
    if (hash === null) return refuse(exchange, client);
    const found = keys.find(hash);
    if (typeof found === "string") return developerCaller(exchange, client, found);
    return found === null ? refuse(exchange, client) : afterLookUp(exchange, client, found);
  }

  async function afterLookUp(exchange: Exchange, client: Client, lookUp: Promise<string | null>): Promise<Caller> {
    const keyId = await lookUp.catch((cause: unknown) => {
      throw new ServiceError("UPSTREAM_UNAVAILABLE", "The key can't be checked at the moment; try again", {
        headers: { "Retry-After": "5" },
        cause,
      });
    });
    return keyId === null ? refuse(exchange, client) : developerCaller(exchange, client, keyId);
  }

  /** A wrong secret could be guessed again and again, so after too many failures even the right one has to wait. */
  async function asAdmin(exchange: Exchange, client: Client, adminSecret: string): Promise<Caller> {
    const bearer = BEARER.exec(exchange.authorization ?? "")?.[1];
    const given = exchange.request.headers.get("x-service-admin-key") ?? bearer ?? "";
    exchange.lane = "none";
    await countFailures(exchange, client, 0);
    if (!isAdminSecret(given, adminSecret)) return refuse(exchange, client);
    exchange.lane = "free";
    return client;
  }

  async function refuse(exchange: Exchange, client: Client): Promise<never> {
    await countFailures(exchange, client, 1);
    const message = isManagementPath(exchange.path)
      ? "Key management needs the admin secret: Authorization: Bearer <ADMIN_SECRET>, or X-Service-Admin-Key"
      : "This is no valid developer key: it is mistyped, unknown or revoked; correct it, or send none to use the free lane";
    throw new ServiceError("UNAUTHORIZED", message, { headers: { "WWW-Authenticate": "Bearer" } });
  }

  /** @throws ServiceError RATE_LIMITED where no failure is left; a cost of 0 only asks whether one is. */
  async function countFailures(exchange: Exchange, { client, previous }: Client, cost: 0 | 1): Promise<void> {
    const hashes = previous === null ? [client] : [client, previous];
    const demands = hashes.map((hash) => failureDemand(hash, cost));
    const taking = await limiter.take(demands);
    if (cost > 0 || !taking.admitted) exchange.taking = taking;
    const upgradeHint = "Correct the credentials, or send none to use the free lane";
    if (!taking.admitted) throw rateLimited(taking, { lane: "none", upgradeHint });
  }
}

function failureDemand(client: string, cost: number): Demand {
  return {
    name: "failedAuthentications",
    identity: `client:${client}`,
    limit: FAILURES_PER_MINUTE,
    window: "minute",
    cost,
    enforced: true,
  };
}
