import type { Config } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import { errorEnvelope } from "../../answers/errorEnvelope";
import { toServiceError } from "../../answers/toServiceError";
import type { Exchange } from "../../http/exchange";
import type { OpenCall } from "../../http/openCall";
import { readJson } from "../../http/readBody";
import type { TakeBuckets } from "../../http/requestLimits";
import { respondJson } from "../../http/respond";
import type { Route } from "../../http/routes";
import type { UnreadAnswers } from "../../http/unreadAnswers";
import { LISTING_BYTES } from "../../limits/policy";
import type { ProcessContext } from "../../operation/context";
import type { Bucket, Operation } from "../../operation/defineOperation";
import { type RpcRequest, readMessages } from "./readMessages";
import { createTools } from "./tool";
import { createToolboxes, readToolSelection, type Toolbox } from "./toolbox";

const BODY_LIMIT = 1024 * 1024;

export type McpParts = {
  config: Pick<Config, "mcpAllowedOrigins">;
  operations: readonly Operation[];
  context: ProcessContext;
  openCall: OpenCall;
  takeBuckets: TakeBuckets;
  unread: UnreadAnswers;
};

/** MCP over streamable HTTP, without sessions: one route. The SDK is loaded when the first request needs it. */
export function mcpRoutes({ config, operations, context, openCall, takeBuckets, unread }: McpParts): Route[] {
  const origins = new Set(config.mcpAllowedOrigins);
  const toolboxOf = createToolboxes(createTools(operations));

  async function read(exchange: Exchange) {
    requireOrigin(exchange.request.headers, origins);
    const toolbox = toolboxOf(readToolSelection(exchange.query));
    return { toolbox, requests: readMessages(await readJson(exchange)) };
  }

  async function answer(exchange: Exchange): Promise<Response> {
    // One request can contain many calls: its cost is known when it has been read. One that can't be read costs a cheap call.
    const { toolbox, requests } = await read(exchange).catch(async (error) => {
      await takeBuckets(exchange, ["cheap"]);
      throw error;
    });
    const [only, ...others] = requests;
    const isSingle = only !== undefined && others.length === 0;
    if (isSingle) exchange.operation = toolOf(only, toolbox)?.name ?? null;
    const { calls, listings } = costOf(requests, toolbox);
    try {
      await takeBuckets(exchange, calls, listings);
      if (only === undefined) return new Response(null, { status: 202 });
      const { answerMessages } = await import("./answerMessages");
      return await answerMessages({ context, openCall, exchange }, toolbox, requests, unread.beforeBuilding);
    } catch (error) {
      exchange.error = toServiceError(error);
      return respondRpcError(exchange, exchange.error, isSingle ? only.id : null);
    }
  }

  const renderError = respondRpcError;
  return [{ method: "POST", path: "/mcp", bucket: null, bodyLimit: BODY_LIMIT, chainless: true, answer, renderError }];
}

/** Without this check, a page in a browser could reach a service on its user's machine, or behind its user's firewall. */
function requireOrigin(headers: Headers, allowed: ReadonlySet<string>): void {
  const origin = headers.get("origin");
  if (origin === null || allowed.has("*") || allowed.has(origin) || isOwnLoopback(origin, headers.get("host"))) return;
  throw new ServiceError(
    "ORIGIN_REFUSED",
    "Pages of this origin may not use /mcp; MCP_ALLOWED_ORIGINS does not list it",
  );
}

/** Whether the origin is this service on its user's machine. Another name that resolves to it (DNS rebinding) is not accepted. */
function isOwnLoopback(origin: string, host: string | null): boolean {
  if (host === null || origin !== `http://${host}`) return false;
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(origin).hostname);
}

/** What an HTTP request takes: the first message that calls nothing is free of the lane's buckets, each further one a cheap call. */
function costOf(requests: readonly RpcRequest[], toolbox: Toolbox): { calls: Bucket[]; listings: number } {
  const buckets = requests.map((request) => bucketOf(request, toolbox));
  const calls = buckets.filter((bucket) => bucket !== null);
  const further = Array.from({ length: Math.max(0, buckets.length - calls.length - 1) }, (): Bucket => "cheap");
  const listings = requests.reduce(
    (sum, request, index) => sum + (buckets[index] === null ? sizeOf(request, toolbox) : 0),
    0,
  );
  return { calls: [...calls, ...further], listings: requests.length === 0 ? 1 : listings };
}

/** What a listing counts, by the size of its answer: the list of all tools is a hundred times as long as its request. */
function sizeOf({ method }: RpcRequest, { listingBytes }: Toolbox): number {
  return method === "tools/list" ? Math.ceil(listingBytes / LISTING_BYTES) : 1;
}

/** The bucket of a request that calls a tool or reads a resource. Null for any other. */
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

/** Codes of JSON-RPC 2.0; -32000 is for what the service itself refuses. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
const REFUSED = -32000;
const MALFORMED = ["VALIDATION_ERROR", "METHOD_NOT_ALLOWED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];

/**
 * Refuses an HTTP request as a whole: the status and headers of REST, and a JSON-RPC error whose data is the error envelope
 * (docs/mcp.md, Calling).
 *
 * @param id of the only message in it; null where there are several, or none was read
 */
function respondRpcError(exchange: Exchange, error: ServiceError, id: string | number | null = null): Response {
  const data = errorEnvelope(exchange.requestId, error);
  const body = { jsonrpc: "2.0", id, error: { code: rpcCode(error), message: error.message, data } };
  return respondJson(exchange, error.status, body, error.headers);
}

function rpcCode({ code, issues }: ServiceError): number {
  if (issues?.[0]?.code === "INVALID_JSON") return PARSE_ERROR;
  if (code === "INTERNAL") return INTERNAL_ERROR;
  return MALFORMED.includes(code) ? INVALID_REQUEST : REFUSED;
}
