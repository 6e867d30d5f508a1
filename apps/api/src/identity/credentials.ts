import type { Caller, ClientIdentity } from "./clientIdentity";

/** What a request presents. */
export type Credentials = {
  /** From `identify`. */
  client: ClientIdentity;
  method: string;
  /** Without the `/api` prefix. Under `/developer/keys` the admin secret counts, elsewhere a developer key or a portal session. */
  path: string;
  /** The Authorization header. */
  authorization: string | null;
  headers: Pick<Headers, "get">;
};

/**
 * Returns the caller.
 *
 * @throws ServiceError UNAUTHORIZED for a wrong key or admin secret: these never fall back to the free lane; RATE_LIMITED after too many
 * failures; UPSTREAM_UNAVAILABLE when a key or a session can't be looked up; ORIGIN_REFUSED for a session that a page of another origin
 * uses. The first two carry the RateLimit fields of failed authentications.
 */
export type Authenticate = (credentials: Credentials) => Promise<Caller>;
