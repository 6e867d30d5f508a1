import { Elysia } from "elysia";
import { createDeparture } from "../../http/departure";
import { type Exchange, openExchange, type Peers } from "../../http/exchange";
import { createFinish } from "../../http/finish";
import { type Admission, createGate } from "../../http/gate";
import { gatherBody } from "../../http/gatherInput";
import { readBody } from "../../http/readBody";
import { createTargetReader } from "../../http/readTarget";
import { respondError, respondJson, respondOptions, respondReady } from "../../http/respond";
import { createRouteTable, type Route } from "../../http/routeTable";
import type { Service } from "../../http/service";
import type { Operation } from "../../operation/defineOperation";
import { execute, readReady, toServiceError } from "../../operation/execute";
import type { ReadyAnswer } from "../../snapshots/rendering";
import { createDocsPages } from "../docs/docs";
import { createMcp, MCP_PATH } from "../mcp/mcp";
import { respondRpcError } from "../mcp/rpcError";

/** Answers HTTP requests. */
export type RestHandler = (request: Request, peers: Peers) => Response | Promise<Response>;

type RouteAdmission = Extract<Admission, { kind: "route" }>;
type Admitted = { exchange: Exchange; admission: RouteAdmission };

export const BODY_LIMIT_BYTES = 64 * 1024;

/**
 * The REST surface. The gate stands before Elysia: it judges every request, matched or not, and what lies ready in memory goes
 * out without a second routing. Everything else goes through Elysia's routes to `execute`.
 */
export function createRest(service: Service): RestHandler {
  const pages = createDocsPages(service);
  const mcp = createMcp(service);
  const routes = createRouteTable([...service.operations.map(operationRoute), ...pages.routes, mcp.route]);
  const { chains, defaultChain } = service;
  const gate = createGate<Response>(service, createTargetReader({ routes, chains, defaultChain }), { goOn, fail });
  const finish = createFinish(service);
  const depart = createDeparture();
  // Elysia hands nothing from the gate on to a route, but it hands on the request itself.
  const admitted = new WeakMap<Request, Admitted>();

  function routesUnder(prefix: string) {
    const app = new Elysia({ prefix }).use(pages.plugin());
    for (const { http } of service.operations) {
      // A body is read by `readBody`, in its place behind the gate.
      app.route(http.method, http.path, ({ request }) => answer(service, admitted.get(request)), { parse: "none" });
    }
    return app;
  }

  const app = new Elysia()
    .onError(({ error, request }) => {
      const exchange = admitted.get(request)?.exchange;
      if (exchange === undefined) throw error;
      return respondError(exchange, toServiceError(error));
    })
    .use(routesUnder(""))
    .use(routesUnder("/api"));

  return (request, peers) => {
    const answer = gate(openExchange(request, peers));
    return answer instanceof Promise ? answer : depart(answer);
  };

  function goOn(exchange: Exchange, admission: Admission): Response | Promise<Response> {
    if (admission.kind === "options") return finish.response(exchange, respondOptions(admission.allow));
    if (admission.route === mcp.route) return endLater(exchange, mcp.answer(exchange, admission));
    const ready = readyAnswer(service, admission);
    if (ready !== null) return finish.ready(exchange, respondReady(exchange, ready));
    admitted.set(exchange.request, { exchange, admission });
    return endLater(exchange, app.handle(exchange.request));
  }

  async function endLater(exchange: Exchange, response: Promise<Response>): Promise<Response> {
    try {
      return finish.response(exchange, await response);
    } catch (error) {
      return fail(exchange, error);
    }
  }

  function fail(exchange: Exchange, error: unknown): Response {
    const respond = exchange.path === MCP_PATH ? respondRpcError : respondError;
    return finish.response(exchange, respond(exchange, toServiceError(error)));
  }
}

function operationRoute(operation: Operation): Route {
  const { method, path } = operation.http;
  return { method, path, bucket: operation.bucket, bodyLimitBytes: BODY_LIMIT_BYTES, operation };
}

function readyAnswer(service: Service, { route, chain, target }: RouteAdmission): ReadyAnswer | null {
  if (route.operation === null || route.method !== "GET") return null;
  return readReady(route.operation, { ...service.context, chain }, target.raw);
}

async function answer(service: Service, admitted: Admitted | undefined): Promise<Response> {
  if (admitted === undefined) throw new Error("a route was reached past the gate");
  const { exchange, admission } = admitted;
  const { route, target, chain, caller } = admission;
  const { request, requestId } = exchange;
  const { lane, client } = caller;
  const { operation } = route;
  if (operation === null) throw new Error(`${route.path} has no operation`);
  const raw =
    route.method === "POST"
      ? gatherBody(operation, target.raw, await readBody(request, route.bodyLimitBytes))
      : target.raw;
  const context = { ...service.context, chain, requestId, lane, client, signal: request.signal };
  const outcome = await execute(operation, context, raw);
  if ("ready" in outcome) return respondReady(exchange, outcome.ready);
  return respondJson(operation.status(outcome.value), outcome.value);
}
