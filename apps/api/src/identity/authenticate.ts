import { isSameSecret } from "@dueday/config/isSameSecret";
import type { Config } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import type { Limiter } from "../limits/limiter";
import { createAuthenticateSession } from "./authenticateSession";
import type { Caller, ClientIdentity } from "./clientIdentity";
import type { Authenticate, Credentials } from "./credentials";
import type { DeveloperKeys, KnownKey } from "./developerKeys";
import { CredentialsRejected, createFailedAttempts } from "./failedAttempts";
import { hashKeyText } from "./keyText";
import { managementSecret } from "./managementSecret";
import type { PortalSessions } from "./portalSessions";
import type { PortalSite } from "./portalSite";

export type AuthenticateParts = {
  config: Pick<Config, "adminSecret" | "developerKeysEnabled">;
  keys: Pick<DeveloperKeys, "cached" | "lookUp" | "noteUse">;
  limiter: Limiter;
  /** Null where the developer portal is closed. */
  portal: { site: PortalSite; sessions: PortalSessions } | null;
};

const MANAGEMENT = "/developer/keys";
const BEARER = /^bearer +([^\s]+) *$/i;

/** Whether a path, known or not, belongs to the management of developer keys. */
export function isManagementPath(path: string): boolean {
  return path === MANAGEMENT || path.startsWith(`${MANAGEMENT}/`);
}

export function createAuthenticate({ config, keys, limiter, portal }: AuthenticateParts): Authenticate {
  const secret = managementSecret(config);
  const failures = createFailedAttempts(limiter);
  const authenticateSession = portal === null ? null : createAuthenticateSession({ ...portal, failures });

  return async (credentials) => {
    const { client, path, authorization } = credentials;
    if (isManagementPath(path)) return secret === null ? client.free : await authenticateAdmin(credentials, secret);
    if (authorization === null)
      return authenticateSession === null ? client.free : await authenticateSession(credentials);
    const text = BEARER.exec(authorization)?.[1];
    const hash = text === undefined || !config.developerKeysEnabled ? null : hashKeyText(text);
    const key = hash === null ? null : keys.cached(hash);
    if (hash === null || key === null) throw new CredentialsRejected(await failures.take(client, 1), WRONG_KEY);
    return key === undefined ? await authenticateKey(client, hash) : developerCaller(client, key);
  };

  function developerCaller({ hash, trusted }: ClientIdentity, { id, subjectId, byAdmin }: KnownKey): Caller {
    keys.noteUse(id);
    return {
      lane: "developer",
      client: hash,
      identities: [`developer:${id}`],
      trusted,
      subject: subjectId,
      keyId: id,
      hasOwnLimits: byAdmin,
    };
  }

  /** An unknown key costs one look-up, and none while its client is over the limit of failed authentications. */
  async function authenticateKey(client: ClientIdentity, hash: string): Promise<Caller> {
    const found = await failures.enqueue(client, (before) => lookUpAfter(before, client, hash));
    if ("admitted" in found) throw new CredentialsRejected(found, WRONG_KEY);
    return developerCaller(client, found);
  }

  /**
   * @returns the key, or the failure that was counted
   * @throws ServiceError also where the check before it failed, so that the requests of a client do not each wait for the same timeout
   */
  async function lookUpAfter(before: Promise<unknown> | undefined, client: ClientIdentity, hash: string) {
    await before;
    await failures.take(client, 0);
    const cached = keys.cached(hash);
    const key = cached === undefined ? await lookUp(hash) : cached;
    return key ?? (await failures.take(client, 1));
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

  /** After too many failures even the right secret is rejected: otherwise a client could go on guessing. */
  async function authenticateAdmin({ client, authorization, headers }: Credentials, expected: string) {
    const given = headers.get("x-service-admin-key") ?? BEARER.exec(authorization ?? "")?.[1] ?? "";
    const { isRight, decision } = await failures.enqueue(client, async (before) => {
      // A developer key that could not be looked up does not make the secret invalid.
      await before?.catch(() => {});
      const checked = await failures.take(client, 0);
      const isRight = isSameSecret(given, expected);
      return { isRight, decision: isRight ? checked : await failures.take(client, 1) };
    });
    if (!isRight) throw new CredentialsRejected(decision, WRONG_SECRET);
    return { ...client.free, consulted: decision.states };
  }
}

const WRONG_KEY =
  "Invalid developer key: it is mistyped, unknown or revoked. Correct it, or send no Authorization header to use the free lane";
const WRONG_SECRET =
  "Key management needs the admin secret: send Authorization: Bearer <ADMIN_SECRET>, or X-Service-Admin-Key: <ADMIN_SECRET>";
