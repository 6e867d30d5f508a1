import { ServiceError } from "@dueday/core/errors";
import type { Lane, ServedChain, Service } from "../context";
import { checkHost } from "./checkHost";
import type { Exchange } from "./exchange";
import { chainOf, type Target, type TargetReader } from "./readTarget";
import type { Route } from "./routeTable";

/** A request that may go on. */
export type Admission =
  | { kind: "route"; route: Route; target: Target; chain: ServedChain; lane: Lane }
  /** OPTIONS on a path that exists: answered with the methods it has. */
  | { kind: "options"; allow: string };

export type Gate = (exchange: Exchange) => Admission;

/**
 * Makes the gate that judges every request, unmatched ones included, always in the same order (shapes, Gate):
 * Host, chainId, credentials, route look-up, buckets, 404, 405. Body and schema follow behind it, once the route is known.
 *
 * The gate throws ServiceError for what it refuses, and notes on the exchange what it learned until then.
 */
export function createGate(service: Service, readTarget: TargetReader): Gate {
  const { config } = service;
  const allowedHosts = config.allowedHosts === null ? null : new Set(config.allowedHosts.map(nameOf));
  return (exchange) => {
    const { request } = exchange;
    checkHost(request.headers.get("host"), allowedHosts);
    const target = readTarget(request.method, request.url);
    exchange.path = target.path;
    const chain = chainOf(target);
    // Credentials belong here: whoever has none, or no right ones, is known before any route is looked up.
    const lane: Lane = "free";
    exchange.lane = lane;
    const { match } = target;
    // Buckets belong here: `match.route.bucket`, and the cheap one for a path or method that does not exist.
    if (match.found === "nothing") throw notFound(target.path);
    if (match.found === "path") {
      if (request.method === "OPTIONS") return { kind: "options", allow: match.allow };
      throw methodNotAllowed(request.method, match.allow);
    }
    const { route } = match;
    exchange.operation = route.operation?.name ?? null;
    exchange.chainId = route.operation?.chainScoped === true ? chain.config.chainId : null;
    if (!config.apiEnabled && route.bucket !== "unlimited" && route.path !== "/catalog") throw apiDisabled();
    return { kind: "route", route, target, chain, lane };
  };
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
