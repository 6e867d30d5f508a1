import { parseChainId } from "@dueday/core/chains";
import { validationError } from "@dueday/core/errors";
import { Elysia } from "elysia";
import { toServiceError } from "../answers/toServiceError";
import type { ServedChain } from "../chains/servedChain";
import { isManagementPath } from "../identity/authenticate";
import { checkHost, nameOf } from "../identity/checkHost";
import type { ClientIdentity } from "../identity/clientIdentity";
import { CredentialsRejected } from "../identity/failedAttempts";
import { type Identity, keysDisabled } from "../identity/startIdentity";
import type { Finish } from "./createFinish";
import { type Exchange, openExchange, type Peers, type RenderError } from "./exchange";
import { ClientGone } from "./readBody";
import type { TakeBuckets } from "./requestLimits";
import { respondError } from "./respond";
import type { Route } from "./routes";

export type GateParts = {
  /** Host names that requests may be addressed to, as ALLOWED_HOSTS lists them; null accepts any. */
  allowedHosts: readonly string[] | null;
  chains: ReadonlyMap<number, ServedChain>;
  defaultChain: ServedChain;
  identity: Identity;
  takeBuckets: TakeBuckets;
  finish: Finish;
  /** Paths that take no chainId from the URL. */
  chainless: ReadonlySet<string>;
  /** Paths whose errors have another form than the error envelope. */
  errorForms: ReadonlyMap<string, RenderError>;
};

export type Gate = ReturnType<typeof createGate>;

/**
 * The gate checks every request, unmatched ones included, in one order. `plugin` checks Host and chainId before the
 * router. `admit` checks credentials and buckets as soon as the route is known, and also refuses a chainId that is not accepted. Body
 * and schema follow in the route's answer.
 */
export function createGate(parts: GateParts) {
  const { chains, defaultChain, identity, takeBuckets, finish, chainless, errorForms } = parts;
  const allowedHosts = parts.allowedHosts === null ? null : new Set(parts.allowedHosts.map(nameOf));
  let peers: Peers = { requestIP: () => null, timeout: () => {} };

  function identify({ request }: Exchange): ClientIdentity {
    const peer = peers.requestIP(request)?.address ?? null;
    return identity.identify({ peer, forwardedFor: request.headers.get("x-forwarded-for") });
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

  /** A request whose chainId is not accepted still counts, so only `admit`, which knows the client, refuses it. */
  function chooseChain(exchange: Exchange): void {
    try {
      exchange.chain = selectChain(exchange.query.getAll("chainId"));
    } catch (error) {
      exchange.chainFault = toServiceError(error);
    }
  }

  /** Refuses a request whose chainId or credentials are not accepted. It counts in the daily limit of its address; beyond that, it is a 429. */
  async function reject(exchange: Exchange, client: ClientIdentity, error: unknown): Promise<never> {
    const fault = toServiceError(error);
    if (fault !== exchange.chainFault && fault.code !== "UNAUTHORIZED") throw error;
    const consulted = fault instanceof CredentialsRejected ? fault.consulted : [];
    exchange.caller = { ...client.free, consulted };
    await takeBuckets(exchange, ["rejected"]);
    throw fault;
  }

  /** The answer to a request that failed, in the form that clients of its path expect. */
  function fail(exchange: Exchange, error: unknown): Response {
    if (error instanceof ClientGone) return finish(exchange, new Response(null, { status: CLIENT_CLOSED_REQUEST }));
    exchange.error = toServiceError(error);
    return finish(exchange, exchange.renderError(exchange, exchange.error));
  }

  const plugin = new Elysia({ name: "gate" })
    // `onRequest` sets it before anything else runs.
    .decorate("exchange", null as unknown as Exchange)
    .onRequest((context) => {
      const { request } = context;
      const path = withoutApiPrefix(pathOf(request.url));
      const renderError = errorForms.get(path) ?? respondError;
      const exchange = openExchange({ request, path, peers, chain: defaultChain, renderError });
      context.exchange = exchange;
      checkHost(request.headers.get("host"), allowedHosts);
      if (exchange.query.size > 0 && !chainless.has(path)) chooseChain(exchange);
    })
    .onError({ as: "global" }, ({ exchange, error, set }) => {
      // The response has its own status; any other value here makes Elysia copy the response.
      set.status = 200;
      return fail(exchange, error);
    });

  return {
    plugin,
    fail,
    /** Connects the gate to its server: until then no request has an address. */
    usePeers(server: Peers): void {
      peers = server;
    },
    /**
     * Lets a request through to the answer of its route.
     *
     * @throws ServiceError VALIDATION_ERROR for the chainId, RATE_LIMITED, KEYS_DISABLED, and those of `authenticate`
     */
    async admit(
      exchange: Exchange,
      { bucket, operation, bodyLimit, page }: Omit<Route, "method" | "path">,
    ): Promise<void> {
      if (operation !== undefined) {
        exchange.operation = operation.name;
        exchange.chainId = operation.chainScoped ? exchange.chain.config.chainId : null;
      }
      exchange.bodyLimit = bodyLimit;
      const client = identify(exchange);
      exchange.client = client.hash;
      if (exchange.chainFault !== null && !page) return reject(exchange, client, exchange.chainFault);
      const { request, method, path, authorization } = exchange;
      // A preflight of a known path takes nothing and has no credentials, and its answer depends on none.
      if (bucket === null && method === "OPTIONS") return;
      // A request whose credentials are rejected is on no lane.
      exchange.lane = "none";
      try {
        exchange.caller = await identity.authenticate({
          client,
          method,
          path,
          authorization,
          headers: request.headers,
        });
      } catch (error) {
        return reject(exchange, client, error);
      }
      exchange.lane = exchange.caller.lane;
      if (bucket !== null) await takeBuckets(exchange, [bucket]);
      if (identity.keys === null && isManagementPath(path)) throw keysDisabled();
    },
  };
}

/** nginx's status for a client that ended its connection. It is never received: it is for the log and the metrics. */
const CLIENT_CLOSED_REQUEST = 499;

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
