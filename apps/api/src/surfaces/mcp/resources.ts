import { type ErrorCode, errorStatus } from "@dueday/core/errors";
import { protocolReverts } from "@dueday/core/reverts/protocolReverts";
import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { ServiceFacts } from "../../operation/context";
import { createCatalog } from "../../operations/service/catalog";
import { answerTool, type ToolCaller } from "./callTool";
import { protocolGuide } from "./protocolGuide";
import type { Toolbox } from "./toolbox";

const JSON_TYPE = "application/json";
const MARKDOWN = "text/markdown";

const fixed: Readonly<Record<string, { mimeType: string; read(service: ServiceFacts): string }>> = {
  "dueday://catalog": { mimeType: JSON_TYPE, read: (service) => JSON.stringify(createCatalog(service)) },
  "dueday://errors": { mimeType: JSON_TYPE, read: () => JSON.stringify(createErrorList()) },
  "dueday://protocol": { mimeType: MARKDOWN, read: () => protocolGuide },
};

/** The plan of the default chain, or of the one that the template names: the summarized answer of `PLAN_TOOL`. */
const PLAN = "dueday://plan";
const PLAN_TOOL = "get_remit_readiness";

/** How long a client may keep a plan. Any block can change it, but clients need not ask for it at each. */
const PLAN_TTL_MS = 2_000;

const plan = {
  title: "Current plan",
  description:
    "What remit() would do now: the summary of get_remit_readiness. It can change with each block; ttlMs is how long to keep it. Untrusted text: symbol",
  mimeType: JSON_TYPE,
};

export function listResources({ tools }: Toolbox): Resource[] {
  return [
    {
      uri: "dueday://catalog",
      name: "catalog",
      title: "Catalog",
      description: "Chains, lanes, limits and REST routes",
      mimeType: JSON_TYPE,
    },
    {
      uri: "dueday://errors",
      name: "errors",
      title: "Errors",
      description: "Every error code and protocol revert, and what to do",
      mimeType: JSON_TYPE,
    },
    {
      uri: "dueday://protocol",
      name: "protocol",
      title: "Protocol",
      description: "Rules and units of the protocol: subscribing, settling, failing, leaving",
      mimeType: MARKDOWN,
    },
    ...(tools.has(PLAN_TOOL) ? [{ uri: PLAN, name: "plan", ...plan }] : []),
  ];
}

export function listResourceTemplates({ tools }: Toolbox): ResourceTemplateType[] {
  return tools.has(PLAN_TOOL) ? [{ uriTemplate: `${PLAN}/{chainId}`, name: "plan_of_chain", ...plan }] : [];
}

/**
 * @returns null for a resource that does not exist
 * @throws ServiceError as the tool behind the resource
 */
export async function readResource(
  caller: ToolCaller,
  { tools }: Toolbox,
  uri: string,
): Promise<ReadResourceResult | null> {
  const { service } = caller.context;
  const resource = Object.hasOwn(fixed, uri) ? fixed[uri] : undefined;
  if (resource !== undefined) {
    const { mimeType, read } = resource;
    return { contents: [{ uri, mimeType, text: read(service) }] };
  }
  const tool = tools.get(PLAN_TOOL);
  if (tool === undefined || (uri !== PLAN && !uri.startsWith(`${PLAN}/`))) return null;
  const chainId = uri === PLAN ? {} : { chainId: uri.slice(PLAN.length + 1) };
  const text = await answerTool(caller, tool, chainId);
  const ttlMs = PLAN_TTL_MS;
  // Revision 2026-07-28 has ttlMs on a result; earlier clients find it in _meta.
  return { contents: [{ uri, mimeType: JSON_TYPE, text }], ttlMs, cacheScope: "public", _meta: { ttlMs } };
}

/** What each code means for its receiver. */
const meanings: Record<ErrorCode, string> = {
  VALIDATION_ERROR:
    "An input is invalid; issues names each field and what it accepts. Correct it before you send it again",
  URL_REFUSED: "The URL of the webhook may not be called; issues says why",
  UNAUTHORIZED:
    "The developer key is mistyped, unknown or revoked: correct it, or send none for the free lane. Of withdraw_permit: the owner's signature is missing",
  SESSION_REQUIRED: "The developer portal is for browsers that are signed in",
  SIGN_IN_REFUSED: "The message or its signature does not sign in to the developer portal; issues names the fault",
  LANE_REQUIRED: "The operation needs a developer key, which is sent as Authorization: Bearer <API_KEY>",
  KEYS_DISABLED: "Keys can't be managed here",
  WEBHOOKS_DISABLED: "The operator has set no SECRETS_KEY, so there are no webhooks",
  REMINDERS_DISABLED: "The operator has not set SMTP_URL or SECRETS_KEY, so there are no reminders by e-mail",
  PORTAL_DISABLED: "The developer portal is not open on this service",
  ORIGIN_REFUSED:
    "A page of this origin may not use /mcp (the operator allows origins with MCP_ALLOWED_ORIGINS) or the developer portal",
  RETURN_URL_REFUSED: "The seller has not listed the page that the payer would return to",
  NOT_FOUND:
    "The path, subscription, permit or key does not exist; a subscription or permit may exist on another chain",
  METHOD_NOT_ALLOWED: "The path does not accept this HTTP method; Allow lists those it accepts",
  NOT_ACCEPTABLE: "The answer has none of the types that were asked for; details.types lists those that it has",
  NOT_READY:
    "A rule of the protocol forbids the transaction; issues lists each with its code. Resolve them, then prepare again",
  PERMIT_UNSUPPORTED: "The token has no permits: an allowance in it takes a transaction, prepare_approve",
  MAX_KEYS: "The subject has the maximum number of active keys. Revoke one first",
  MAX_WEBHOOKS: "The subject has the maximum number of webhooks. Delete one first",
  CHALLENGE_REQUIRED: "The URL of the webhook has not answered a challenge",
  EVENTS_GONE:
    "The events after this seq have been deleted, or it is above the last one. Read the present state again, then go on after lastSeq",
  PAYLOAD_TOO_LARGE: "The body is too large",
  UNSUPPORTED_MEDIA_TYPE: "Send JSON as Content-Type: application/json, uncompressed",
  SIMULATION_FAILED: "The chain would reject the transaction; revert has the reason. Nothing was prepared",
  RATE_LIMITED:
    "The limit named in bucket is used up. Wait for the seconds in Retry-After; upgradeHint explains how to get a higher limit",
  INTERNAL: "A bug in the service; it is logged under requestId",
  UPSTREAM_ERROR: "The node of the chain failed. Try again",
  UPSTREAM_UNAVAILABLE: "The node or the database can't be reached. Try again later",
  NOT_INDEXED: "The chain, or the block of minBlock, has not been read yet. Try again in a moment",
  API_DISABLED: "The operator has switched the service off",
  UPSTREAM_TIMEOUT:
    "The deadline passed. Try again; after an operation that changes something, first read what is stored",
};

/** Every error code with its HTTP status, and every revert of the protocol. */
function createErrorList() {
  return {
    errors: Object.entries(errorStatus).map(([code, status]) => ({
      code,
      status,
      meaning: meanings[code as ErrorCode],
    })),
    reverts: Object.entries(protocolReverts).map(([code, revert]) => ({ code, ...revert })),
  };
}
