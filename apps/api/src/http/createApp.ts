import { ServiceError } from "@dueday/core/errors";
import { type AnyElysia, Elysia } from "elysia";
import { preflightFields } from "./createCors";
import type { Finish } from "./createFinish";
import type { Exchange } from "./exchange";
import type { Gate } from "./gate";
import type { Route } from "./routes";
import type { UnreadAnswers } from "./unreadAnswers";

export type AppParts = { gate: Gate; finish: Finish; unread: UnreadAnswers };

/** What answers a request once its method and path are known. */
type Target = Omit<Route, "method" | "path">;

/** What a route uses of Elysia's context. */
type RouteContext = { exchange: Exchange; params?: Exchange["params"] };

/**
 * Composes all routes into one app. A request passes, from the socket:
 *
 * 1. `app.fetch`, Elysia
 * 2. the gate's `onRequest`: Host, chainId
 * 3. Elysia's router, which matches it once: a route, another method of a known path, or no path at all
 * 4. `gate.admit`: credentials, buckets; from there the requests of one turn go on together (`endOfTurn`)
 * 5. `answer` of the route, which reads the input and calls `execute`
 * 6. the operation's handler
 *
 * The response leaves through `finish`. An error at any step goes through `gate.fail`, which calls `finish`.
 */
export function createApp(routes: readonly Route[], { gate, finish, unread }: AppParts): AnyElysia {
  // A path matches exactly as it is: not in another case, and not with a trailing slash.
  const app = new Elysia({ strictPath: true }).use(gate.plugin);

  async function respond(target: Target, exchange: Exchange, params: Exchange["params"] = {}): Promise<Response> {
    exchange.params = params;
    try {
      await gate.admit(exchange, target);
      const response = await target.answer(exchange);
      unread.hold(exchange);
      return finish(exchange, response);
    } catch (error) {
      return gate.fail(exchange, error);
    }
  }

  function add(method: string, path: string, target: Target): void {
    // A body is read by the answer, after the buckets.
    const hasNoBody = method === "GET" || method === "HEAD";
    // Elysia reads the source of a handler, and prepares the parts of its context that are named in its first parameter.
    const handle = ({ exchange, params }: RouteContext) => respond(target, exchange, params);
    app.route(method, path, handle, hasNoBody ? {} : { parse: "none" });
  }

  for (const [path, group] of Map.groupBy(routes, (route) => route.path)) {
    const methods = group.map(({ method }) => method);
    if (new Set(methods).size < methods.length) throw new Error(`two routes for one method of ${path}`);
    const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
    for (const prefixed of withPrefix(path)) {
      for (const route of group) {
        add(route.method, prefixed, route);
        // The server sends the answer of GET without its body. Elysia's own HEAD reads the whole body to find its length.
        if (route.method === "GET") add("HEAD", prefixed, route);
      }
      add("OPTIONS", prefixed, preflight(allow));
      add("ALL", prefixed, otherMethod(allow));
    }
  }
  add("ALL", "/*", unknownPath);
  return app;
}

/** Legacy hosts keep the /api prefix: every path is served with and without it. */
function withPrefix(path: string): string[] {
  return path === "/" ? ["/", "/api", "/api/"] : [path, `/api${path}`];
}

/** Answers OPTIONS, which browsers send before a request of another origin: it takes from no bucket and needs no credentials. */
function preflight(allow: string): Target {
  const headers = { Allow: allow, ...preflightFields(allow) };
  return { bucket: null, bodyLimit: 0, answer: async () => new Response(null, { status: 204, headers }) };
}

function otherMethod(allow: string): Target {
  return {
    bucket: "cheap",
    bodyLimit: 0,
    async answer({ method }) {
      throw new ServiceError("METHOD_NOT_ALLOWED", `This path does not accept ${method}; it accepts ${allow}`, {
        headers: { Allow: allow },
      });
    },
  };
}

const unknownPath: Target = {
  bucket: "cheap",
  bodyLimit: 0,
  async answer() {
    throw new ServiceError("NOT_FOUND", "Unknown path; GET /catalog lists the paths of all operations");
  },
};
