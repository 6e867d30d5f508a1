import type { LaneLimits } from "@dueday/config/limits";
import { endPortalSessions } from "@dueday/db/access/endPortalSessions";
import { startPortalSession } from "@dueday/db/access/startPortalSession";
import type { Database } from "@dueday/db/connectDatabase";
import { sessionIdentity } from "../identity/authenticateSession";
import { portalDisabled, requireOrigin } from "../identity/portalSite";
import { createSessionToken, expiredCookie, readSessionToken, sessionCookie } from "../identity/sessionToken";
import type { Portal } from "../identity/startIdentity";
import { type BucketState, type Limiter, returning } from "../limits/limiter";
import {
  bucketLimits,
  failedAuthentications,
  limitWindows,
  portalChallenges,
  portalChallengesDaily,
} from "../limits/policy";
import { toSeconds, windowSecondsOf } from "../limits/rateLimitFields";
import type { LimitUse, PortalAccess } from "../operation/context";
import { callerOf, type Exchange } from "./exchange";
import { demandOf, takeBeside } from "./takeBeside";

/**
 * Lets a request through to an operation of the developer portal.
 *
 * @throws ServiceError PORTAL_DISABLED; ORIGIN_REFUSED
 */
export type PortalGate = (exchange: Exchange) => PortalAccess;

export type PortalGateParts = {
  portal: Portal;
  database: Database;
  limiter: Limiter;
  /** Of the developer lane. */
  limits: LaneLimits;
  /** Unix milliseconds. */
  clock: () => number;
};

/** A session is not prolonged by its use. */
const SESSION_SECONDS = 12 * 3_600;

export function createPortalGate({ portal, database, limiter, limits, clock }: PortalGateParts): PortalGate {
  const { site, sessions } = portal;
  return (exchange) => {
    if ("closed" in site) throw portalDisabled(site.closed);
    const { secure } = site;
    const { headers } = exchange.request;
    const origin = requireOrigin(site, exchange.method, headers);
    const { client, lane, session = null } = callerOf(exchange);
    const tokenHash = readSessionToken(headers.get("cookie"), secure);
    if (tokenHash !== null && session === null) exchange.setCookie = expiredCookie(secure);

    return {
      origin,
      session,
      async countChallenge() {
        const demands = [portalChallenges, portalChallengesDaily].map((limit) => demandOf(limit, `client:${client}`));
        await takeBeside(limiter, exchange, demands, { lane, upgradeHint: CHALLENGE_HINT });
      },
      async countAttempt() {
        const { decision } = exchange;
        const demand = demandOf(failedAuthentications, `client:${client}`);
        await takeBeside(limiter, exchange, [demand], { lane, upgradeHint: CHALLENGE_HINT });
        return async () => {
          await limiter.take(returning([{ demand }]));
          exchange.decision = decision;
        };
      },
      async start({ subjectId, nonceHash }) {
        const { text, hash } = createSessionToken();
        const now = clock();
        const started = {
          tokenHash: hash,
          subjectId,
          createdAt: new Date(now),
          expiresAt: new Date(now + SESSION_SECONDS * 1000),
        };
        const isStarted = await startPortalSession(database, { session: started, nonceHash, endsTokenHash: tokenHash });
        if (!isStarted) return null;
        if (tokenHash !== null) sessions.forget([tokenHash]);
        exchange.setCookie = sessionCookie(text, SESSION_SECONDS, secure);
        return started;
      },
      async end(everywhere) {
        exchange.setCookie = expiredCookie(secure);
        if (session === null) return 0;
        const ended = await endPortalSessions(database, everywhere ? { subjectId: session.subjectId } : session);
        sessions.forget(ended);
        return ended.length;
      },
      async usage(holder) {
        const identity = "keyId" in holder ? `developer:${holder.keyId}` : sessionIdentity(holder.subjectId);
        const names = new Set(Object.values(bucketLimits).flat());
        const demands = Array.from(names, (name) => ({
          identity,
          name,
          limit: limits[name],
          window: limitWindows[name],
          cost: 0,
          enforced: false,
        }));
        return (await limiter.take(demands)).states.map(presentUse);
      },
    };
  };
}

function presentUse({ demand: { name, limit, window }, remaining, resetMs }: BucketState): LimitUse {
  const windowSeconds = windowSecondsOf(window);
  return { name, limit, windowSeconds, used: limit - remaining, remaining, resetSeconds: toSeconds(resetMs) };
}

const CHALLENGE_HINT = "Sign the message of one challenge; it is valid for five minutes";
