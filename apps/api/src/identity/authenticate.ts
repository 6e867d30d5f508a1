import { isSameSecret } from "@dueday/config/isSameSecret";
import type { Config } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import type { Decision, Demand, Limiter } from "../limits/limiter";
import { failedAuthentications } from "../limits/policy";
import { rateLimited } from "../limits/rateLimited";
import { rateLimitHeaders } from "../limits/rateLimitFields";
import type { Caller, ClientIdentity } from "./clientIdentity";
import type { DeveloperKeys, KnownKey } from "./developerKeys";
import { hashKeyText } from "./keyText";

/** What a request presents. */
export type Credentials = {
  /** From `identify`. */
  client: ClientIdentity;
  /** Without the `/api` prefix. Under `/developer/keys` the admin secret counts, elsewhere a developer key. */
  path: string;
  /** The Authorization header. */
  authorization: string | null;
  /** The X-Service-Admin-Key header. */
  adminKey: string | null;
};

/**
 * Returns the caller without waiting where nothing has to be looked up.
 *
 * @throws ServiceError UNAUTHORIZED for wrong credentials: they never fall back to the free lane; RATE_LIMITED after too many of
 * them; UPSTREAM_UNAVAILABLE when a key can't be looked up. The first two carry the RateLimit fields of failed authentications.
 */
export type Authenticate = (credentials: Credentials) => Caller | Promise<Caller>;

export type AuthenticateParts = {
  config: Pick<Config, "adminSecret" | "developerKeysEnabled">;
  keys: Pick<DeveloperKeys, "cached" | "lookUp" | "noteUse">;
  limiter: Limiter;
};

const MANAGEMENT = "/developer/keys";
const BEARER = /^bearer +([^\s]+) *$/i;

/** Whether a path, known or not, belongs to the management of developer keys. */
export function isManagementPath(path: string): boolean {
  return path === MANAGEMENT || path.startsWith(`${MANAGEMENT}/`);
}

/** The secret that gives access to key management; null where it is closed. */
export function managementSecret(config: AuthenticateParts["config"]): string | null {
  return config.developerKeysEnabled ? config.adminSecret : null;
}

export function createAuthenticate({ config, keys, limiter }: AuthenticateParts): Authenticate {
  const secret = managementSecret(config);
  /** The latest check of each client with one under way. The next one waits for it, so that its failure is counted before. */
  const checks = new Map<string, Promise<unknown>>();

  return (credentials) => {
    const { client, path, authorization } = credentials;
    if (isManagementPath(path)) return secret === null ? client.free : authenticateAdmin(credentials, secret);
    if (authorization === null) return client.free;
    const text = BEARER.exec(authorization)?.[1];
    const hash = text === undefined || !config.developerKeysEnabled ? null : hashKeyText(text);
    const key = hash === null ? null : keys.cached(hash);
    if (hash === null || key === null) return rejectKey(client);
    return key === undefined ? authenticateKey(client, hash) : developerCaller(client, key);
  };

  function developerCaller({ hash, trusted }: ClientIdentity, { id, subjectId }: KnownKey): Caller {
    keys.noteUse(id);
    return { lane: "developer", client: hash, identities: [`developer:${id}`], trusted, subject: subjectId };
  }

  /** An unknown key costs one look-up, and none while its client is over the limit of failed authentications. */
  async function authenticateKey(client: ClientIdentity, hash: string): Promise<Caller> {
    const found = await enqueue(client, (before) => lookUpAfter(before, client, hash));
    if ("admitted" in found) throw unauthorized(found, WRONG_KEY);
    return developerCaller(client, found);
  }

  /** @param check waits for the client's check before it */
  async function enqueue<T>({ hash }: ClientIdentity, check: (before: Promise<unknown> | undefined) => Promise<T>) {
    const turn = check(checks.get(hash));
    checks.set(hash, turn);
    try {
      return await turn;
    } finally {
      if (checks.get(hash) === turn) checks.delete(hash);
    }
  }

  /**
   * @returns the key, or the failure that was counted
   * @throws ServiceError also where the check before it did: a client's queue does not wait for the same timeout again and again
   */
  async function lookUpAfter(before: Promise<unknown> | undefined, client: ClientIdentity, hash: string) {
    await before;
    await takeFailure(client, 0);
    const cached = keys.cached(hash);
    const key = cached === undefined ? await lookUp(hash) : cached;
    return key ?? (await takeFailure(client, 1));
  }

  async function lookUp(hash: string): Promise<KnownKey | null> {
    try {
      return await keys.lookUp(hash);
    } catch (cause) {
      throw new ServiceError("UPSTREAM_UNAVAILABLE", "The developer key can't be checked at the moment; try again", {
        headers: { "Retry-After": "5" },
        cause,
      });
    }
  }

  /** After too many failures even the right secret is rejected: a wrong one could be guessed any number of times otherwise. */
  async function authenticateAdmin({ client, authorization, adminKey }: Credentials, expected: string) {
    const given = adminKey ?? BEARER.exec(authorization ?? "")?.[1] ?? "";
    const { isRight, decision } = await enqueue(client, async (before) => {
      // The secret is valid although a developer key could not be looked up.
      await before?.catch(() => {});
      const checked = await takeFailure(client, 0);
      const isRight = isSameSecret(given, expected);
      return { isRight, decision: isRight ? checked : await takeFailure(client, 1) };
    });
    if (!isRight) throw unauthorized(decision, WRONG_SECRET);
    return { ...client.free, consulted: decision.states };
  }

  async function rejectKey(client: ClientIdentity): Promise<never> {
    throw unauthorized(await takeFailure(client, 1), WRONG_KEY);
  }

  /** @throws ServiceError RATE_LIMITED where no failure is left; a cost of 0 only checks that. */
  async function takeFailure({ hash, previousHash }: ClientIdentity, cost: 0 | 1) {
    const hashes = previousHash === null ? [hash] : [hash, previousHash];
    const demands = hashes.map(
      (each): Demand => ({ ...failedAuthentications, identity: `client:${each}`, cost, enforced: true }),
    );
    const decision = await limiter.take(demands);
    if (!decision.admitted) throw rateLimited(decision, { lane: "none", upgradeHint: FAILURES_HINT });
    return decision;
  }
}

const WRONG_KEY =
  "Invalid developer key: it is mistyped, unknown or revoked. Correct it, or send no Authorization header to use the free lane";
const WRONG_SECRET =
  "Key management needs the admin secret: send Authorization: Bearer <ADMIN_SECRET>, or X-Service-Admin-Key: <ADMIN_SECRET>";
const FAILURES_HINT = "Correct the credentials, or send none to use the free lane";

function unauthorized(failure: Decision, message: string): ServiceError {
  const headers = { "WWW-Authenticate": "Bearer", ...rateLimitHeaders(failure) };
  return new ServiceError("UNAUTHORIZED", message, { headers });
}
