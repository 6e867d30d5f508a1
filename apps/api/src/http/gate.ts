import { ServiceError } from "@dueday/core/errors";
import type { ServedChain } from "../chains/servedChain";
import { keysDisabled } from "../identity/access";
import { isManagementPath } from "../identity/authenticate";
import type { Caller } from "../identity/caller";
import type { Bucket } from "../operation/defineOperation";
import { checkHost } from "./checkHost";
import type { Exchange } from "./exchange";
import { chainOf, type Target, type TargetReader } from "./readTarget";
import type { Route, RouteMatch } from "./routeTable";
import type { Service } from "./service";

/** A request that may go on. */
export type Admission =
  | { kind: "route"; route: Route; target: Target; chain: ServedChain; caller: Caller }
  /** OPTIONS on a path that exists: answered with the methods it has. */
  | { kind: "options"; allow: string };

/** What follows the gate: for a request that may go on, and for one that was refused, by the gate or by `goOn`. */
export type Onward<T> = {
  goOn(exchange: Exchange, admission: Admission): T | Promise<T>;
  fail(exchange: Exchange, error: unknown): T;
};

/**
 * Makes the gate that judges every request, unmatched ones included, always in the same order (shapes, Gate):
 * Host, chainId, credentials, route look-up, buckets, 404, 405. Body and schema follow behind it, once the route is known.
 *
 * It notes on the exchange what it learns, and says itself what follows, at once or, where credentials or buckets are held elsewhere,
 * later: a request then waits for one promise. It never throws, and the promise is not rejected: what a look-up of credentials fails
 * with goes to `fail`, and a store of buckets that fails has its stand-in.
 */
export function createGate<T>(service: Service, readTarget: TargetReader, { goOn, fail }: Onward<T>) {
  const { config, access } = service;
  // Most requests name the host that the last one was let in with.
  let lastHost: string | null = null;
  const allowedHosts = config.allowedHosts === null ? null : new Set(config.allowedHosts.map(nameOf));

  return (exchange: Exchange): T | Promise<T> => {
    try {
      const { request } = exchange;
      const host = request.headers.get("host");
      if (host === null || host !== lastHost) {
        checkHost(host, allowedHosts);
        lastHost = host;
      }
      const target = readTarget(exchange.method, request.url);
      exchange.path = target.path;
      const chain = chainOf(target);
      const caller = access.authenticate(exchange);
      return caller instanceof Promise
        ? caller
            .then((known) => afterCredentials(exchange, target, chain, known))
            .catch((error) => fail(exchange, error))
        : afterCredentials(exchange, target, chain, caller);
    } catch (error) {
      return fail(exchange, error);
    }
  };

  function afterCredentials(exchange: Exchange, target: Target, chain: ServedChain, caller: Caller) {
    const { match } = target;
    if (match.found === "route") {
      exchange.operation = match.route.operation?.name ?? null;
      exchange.chainId = match.route.operation?.chainScoped === true ? chain.config.chainId : null;
    }
    const bucket = bucketOf(match, exchange.method);
    const afterBuckets = (refusal: ServiceError | null): T | Promise<T> => {
      if (refusal !== null) return fail(exchange, refusal);
      try {
        return goOn(exchange, decide(exchange, target, chain, caller));
      } catch (error) {
        return fail(exchange, error);
      }
    };
    return bucket === null ? afterBuckets(null) : access.count(exchange, caller, [bucket], afterBuckets);
  }

  function decide({ method, path }: Exchange, target: Target, chain: ServedChain, caller: Caller): Admission {
    const { match } = target;
    if (match.found === "path" && method === "OPTIONS") return { kind: "options", allow: match.allow };
    if (isManagementPath(path) && !access.managesKeys) throw keysDisabled();
    if (match.found === "nothing") throw notFound(path);
    if (match.found === "path") throw methodNotAllowed(method, match.allow);
    const { route } = match;
    if (!config.apiEnabled && route.bucket !== "unlimited" && route.path !== "/catalog") throw apiDisabled();
    return { kind: "route", route, target, chain, caller };
  }
}

/** What does not exist is counted as a cheap read; asking for the methods of a path, as browsers do, is never refused. */
function bucketOf(match: RouteMatch, method: string): Bucket | null {
  if (match.found === "route") return match.route.bucket;
  return match.found === "path" && method === "OPTIONS" ? "unlimited" : "cheap";
}

function nameOf(host: string): string {
  return host.replace(/:[0-9]+$/, "").toLowerCase();
}

function notFound(path: string): ServiceError {
  return new ServiceError("NOT_FOUND", "There is no such path; GET /catalog lists all of them", { details: { path } });
}

function methodNotAllowed(method: string, allow: string): ServiceError {
  return new ServiceError("METHOD_NOT_ALLOWED", `This path does not take ${method}; it takes ${allow}`, {
    headers: { Allow: allow },
  });
}

function apiDisabled(): ServiceError {
  return new ServiceError(
    "API_DISABLED",
    "The REST interface is switched off here; GET /status tells how the service is",
    {
      headers: { "Retry-After": "3600" },
    },
  );
}
