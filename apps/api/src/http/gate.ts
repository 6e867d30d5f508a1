import { parseChainId } from "@dueday/core/chains";
import { validationError } from "@dueday/core/errors";
import { Elysia } from "elysia";
import type { ServedChain } from "../chains/servedChain";
import { isManagementPath } from "../identity/authenticate";
import type { ClientIdentity } from "../identity/clientIdentity";
import { type Identity, keysDisabled } from "../identity/startIdentity";
import type { Bucket } from "../limits/policy";
import { toServiceError } from "../operation/execute";
import { checkHost, nameOf } from "./checkHost";
import type { Finish } from "./createFinish";
import { type Exchange, openExchange, type RenderError } from "./exchange";
import { ClientGone } from "./readBody";
import { respondError } from "./respond";
import type { Route } from "./routes";

/**
 * Takes one request's buckets.
 *
 * @param listings MCP messages that count as `mcpListings`
 * @throws ServiceError RATE_LIMITED when one of them is empty: then none is taken from.
 */
export type TakeBuckets = (exchange: Exchange, buckets: readonly Bucket[], listings?: number) => Promise<void>;

export type GateParts = {
  /** Host names that requests may be addressed to, as ALLOWED_HOSTS lists them; null accepts any. */
  allowedHosts: readonly string[] | null;
  chains: ReadonlyMap<number, ServedChain>;
  defaultChain: ServedChain;
  identity: Identity;
  takeBuckets: TakeBuckets;
  finish: Finish;
  /** Paths whose errors have another form than the error envelope. */
  errorForms: ReadonlyMap<string, RenderError>;
};

export type Gate = ReturnType<typeof createGate>;

/**
 * The gate judges every request, unmatched ones included, in one order (shapes, Gate): Host, chainId and credentials before the
 * router, as its plugin; buckets as soon as the route is known, by `admit`. Body and schema follow in the route's answer.
 */
export function createGate(parts: GateParts) {
  const { chains, defaultChain, identity, takeBuckets, finish, errorForms } = parts;
  const allowedHosts = parts.allowedHosts === null ? null : new Set(parts.allowedHosts.map(nameOf));

  function judge(exchange: Exchange): Promise<void> | undefined {
    checkHost(exchange.request.headers.get("host"), allowedHosts);
    if (exchange.query.size > 0) exchange.chain = selectChain(exchange.query.getAll("chainId"));
    const client = identify(exchange);
    // A preflight has no credentials, and its answer depends on none: `admit` judges those of an OPTIONS to an unknown path.
    return exchange.method === "OPTIONS" ? undefined : authenticate(exchange, client);
  }

  function identify(exchange: Exchange): ClientIdentity {
    const { request, peers } = exchange;
    const peer = peers.requestIP(request)?.address ?? null;
    const client = identity.identify({ peer, forwardedFor: request.headers.get("x-forwarded-for") });
    exchange.client = client.hash;
    return client;
  }

  /** A request whose credentials are rejected is on no lane. */
  async function authenticate(exchange: Exchange, client: ClientIdentity): Promise<void> {
    const { request, method, path, authorization } = exchange;
    exchange.lane = "none";
    const caller = identity.authenticate({ client, method, path, authorization, headers: request.headers });
    exchange.caller = caller instanceof Promise ? await caller : caller;
    exchange.lane = exchange.caller.lane;
  }

  function selectChain(values: readonly string[]): ServedChain {
    const [text] = values;
    if (text === undefined) return defaultChain;
    if (values.length > 1) throw validationError("chainId", "REPEATED", "must be given once");
    const chainId = parseChainId(text);
    if (chainId === null)
      throw validationError("chainId", "MALFORMED", "must be a chain id such as 8453, or eip155:8453");
    const chain = chains.get(chainId);
    if (chain?.config.rest === true) return chain;
    const served = [...chains.values()].filter(({ config }) => config.rest).map(({ config }) => config.chainId);
    const message = `is not a chain served here: send one of ${served.join(", ")} (chains[] of GET /catalog)`;
    throw validationError("chainId", "UNKNOWN_CHAIN", message);
  }

  const plugin = new Elysia({ name: "gate" })
    // `onRequest` sets it before anything else runs.
    .decorate("exchange", null as unknown as Exchange)
    .onRequest(async (context) => {
      const path = withoutApiPrefix(pathOf(context.request.url));
      context.exchange = openExchange({
        request: context.request,
        path,
        peers: context.server ?? NO_PEERS,
        chain: defaultChain,
        renderError: errorForms.get(path) ?? respondError,
      });
      await judge(context.exchange);
    })
    .onError({ as: "global" }, ({ exchange, error, set }) => {
      // The response has its own status; any other value here makes Elysia copy the response.
      set.status = 200;
      if (error instanceof ClientGone) return finish(exchange, new Response(null, { status: CLIENT_CLOSED_REQUEST }));
      exchange.error = toServiceError(error);
      return finish(exchange, exchange.renderError(exchange, exchange.error));
    });

  return {
    plugin,
    /** Lets a request through to the answer of its route. @throws ServiceError RATE_LIMITED, KEYS_DISABLED */
    async admit(exchange: Exchange, { bucket, operation, bodyLimit }: Omit<Route, "method" | "path">): Promise<void> {
      if (operation !== undefined) {
        exchange.operation = operation.name;
        exchange.chainId = operation.chainScoped ? exchange.chain.config.chainId : null;
      }
      exchange.bodyLimit = bodyLimit;
      if (bucket !== null) {
        if (exchange.caller === null) await authenticate(exchange, identify(exchange));
        await takeBuckets(exchange, [bucket]);
      }
      const isPreflight = exchange.method === "OPTIONS";
      if (identity.keys === null && !isPreflight && isManagementPath(exchange.path)) throw keysDisabled();
    },
  };
}

/** nginx's status for a client that ended its connection. Nobody receives it: it is for the log and the metrics. */
const CLIENT_CLOSED_REQUEST = 499;

const NO_PEERS = { requestIP: () => null, timeout: () => {} };

/** The path as Elysia's router finds it: no host that `checkHost` accepts ends before the 11th character of the URL. */
function pathOf(url: string): string {
  const start = url.indexOf("/", "http://".length + 4);
  const mark = url.indexOf("?", start + 1);
  return start === -1 ? "/" : url.slice(start, mark === -1 ? undefined : mark);
}

/** Paths are served with and without it. */
const API_PREFIX = "/api";

function withoutApiPrefix(path: string): string {
  if (path === API_PREFIX) return "/";
  return path.startsWith(`${API_PREFIX}/`) ? path.slice(API_PREFIX.length) : path;
}
