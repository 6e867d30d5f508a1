import { ServiceError } from "@dueday/core/errors";
import type { Exchange } from "../../http/exchange";
import type { Admission } from "../../http/gate";
import { readJson } from "../../http/readBody";
import type { Route } from "../../http/routeTable";
import type { Service } from "../../http/service";
import type { Bucket } from "../../operation/defineOperation";
import { toServiceError } from "../../operation/execute";
import { type RpcRequest, readMessages } from "./readMessages";
import { respondRpcError } from "./rpcError";
import { createTools } from "./tool";
import { createToolboxes, type Toolbox } from "./toolbox";
import { readToolSelection } from "./toolSelection";

export const MCP_PATH = "/mcp";
const BODY_LIMIT_BYTES = 1024 * 1024;

/** MCP over streamable HTTP, without sessions: its route for the gate, and what answers there. */
export type Mcp = {
  route: Route;
  answer(exchange: Exchange, admission: Extract<Admission, { kind: "route" }>): Promise<Response>;
};

/** Makes the MCP surface from the list of operations. The SDK is loaded when the first request needs it. */
export function createMcp(service: Service): Mcp {
  const { access, config } = service;
  const origins = new Set(config.mcpAllowedOrigins);
  const toolboxOf = createToolboxes(createTools(service.operations));

  return {
    // One request can hold many calls, so it is counted here, once they are known.
    route: { method: "POST", path: MCP_PATH, bucket: null, bodyLimitBytes: BODY_LIMIT_BYTES, operation: null },
    async answer(exchange, { caller }) {
      let id: RpcRequest["id"] | null = null;
      try {
        const { toolbox, requests } = await read(exchange).catch(async (error) => {
          await access.count(exchange, caller, ["cheap"], orThrow);
          throw error;
        });
        const [only, ...others] = requests;
        if (only !== undefined && others.length === 0) {
          id = only.id;
          exchange.operation = toolOf(only, toolbox)?.name ?? null;
        }
        const calls = requests.flatMap((request) => bucketOf(request, toolbox) ?? []);
        if (calls.length > 0) await access.count(exchange, caller, calls, orThrow);
        if (only === undefined) return new Response(null, { status: 202 });
        const { answerMessages } = await import("./answerMessages");
        return await answerMessages({ service, exchange, caller }, toolbox, requests);
      } catch (error) {
        return respondRpcError(exchange, toServiceError(error), id);
      }
    },
  };

  async function read({ request }: Exchange) {
    requireOrigin(request.headers.get("origin"), origins);
    const toolbox = toolboxOf(readToolSelection(new URL(request.url).searchParams));
    return { toolbox, requests: readMessages(await readJson(request, BODY_LIMIT_BYTES)) };
  }
}

function orThrow(refusal: ServiceError | null): void {
  if (refusal !== null) throw refusal;
}

/** A page that a browser shows could reach a service on its user's machine, or behind its user's firewall. */
function requireOrigin(origin: string | null, allowed: ReadonlySet<string>): void {
  if (origin === null || allowed.has("*") || allowed.has(origin)) return;
  throw new ServiceError("ORIGIN_REFUSED", "Pages of this origin may not use /mcp; it needs MCP_ALLOWED_ORIGINS");
}

/** What a request is counted in; null where it is not counted: only tool calls are (interface, Limits), and what reads as they do. */
function bucketOf(request: RpcRequest, toolbox: Toolbox): Bucket | null {
  if (request.method === "resources/read") return "cheap";
  if (request.method !== "tools/call") return null;
  const tool = toolOf(request, toolbox);
  return tool === undefined ? "cheap" : (tool.mcpBucket ?? tool.bucket);
}

function toolOf({ method, params }: RpcRequest, { tools }: Toolbox) {
  const name: unknown = method === "tools/call" ? Reflect.get(Object(params), "name") : undefined;
  return typeof name === "string" ? tools.get(name) : undefined;
}
