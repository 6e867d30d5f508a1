import { ServiceError } from "@dueday/core/errors";
import type { PortalSession } from "@dueday/db/access/startPortalSession";
import { DatabaseError } from "@dueday/db/databaseError";
import type { Caller, ClientIdentity } from "./clientIdentity";
import type { Authenticate, Credentials } from "./credentials";
import type { FailedAttempts } from "./failedAttempts";
import type { PortalSessions } from "./portalSessions";
import { type PortalSite, requireOrigin } from "./portalSite";
import { readSessionToken, sha256 } from "./sessionToken";

export type AuthenticateSessionParts = { site: PortalSite; sessions: PortalSessions; failures: FailedAttempts };

/**
 * Authenticates by the cookie that the developer portal gave a browser. The browser sends it with every request, and no page can remove
 * it. An unknown or expired cookie therefore leads to the free lane, and not to an error as a wrong key does.
 */
export function createAuthenticateSession({ site, sessions, failures }: AuthenticateSessionParts): Authenticate {
  return async (credentials) => {
    const { client, headers } = credentials;
    const tokenHash = readSessionToken(headers.get("cookie"), site.secure);
    return tokenHash === null ? client.free : await authenticate(credentials, tokenHash);
  };

  async function authenticate({ client, method, headers }: Credentials, tokenHash: string): Promise<Caller> {
    const session = await lookUp(client, tokenHash);
    if (session === null) return client.free;
    requireOrigin(site, method, headers);
    const { hash, trusted } = client;
    const { subjectId } = session;
    return {
      lane: "developer",
      client: hash,
      identities: [sessionIdentity(subjectId)],
      trusted,
      subject: subjectId,
      session,
    };
  }

  /** As for keys: an unknown token costs one look-up, and none while its client is over the limit of failed authentications. */
  async function lookUp(client: ClientIdentity, tokenHash: string): Promise<PortalSession | null> {
    try {
      if (!sessions.isNew(tokenHash)) return await sessions.find(tokenHash);
      return await failures.enqueue(client, async (before) => {
        await before;
        await failures.take(client, 0);
        const session = await sessions.find(tokenHash);
        if (session === null) await failures.take(client, 1);
        return session;
      });
    } catch (cause) {
      if (!(cause instanceof DatabaseError)) throw cause;
      throw new ServiceError("UPSTREAM_UNAVAILABLE", "The portal session can't be checked at the moment; try again", {
        headers: { "Retry-After": "5" },
        cause,
      });
    }
  }
}

/** The identity whose buckets all sessions of a subject take from. Redis holds no subject in the clear. */
export function sessionIdentity(subjectId: string): string {
  return `developer:${sha256(subjectId)}`;
}
