import { type ErrorCode, errorStatus } from "@dueday/core/errors";
import { protocolReverts } from "@dueday/core/reverts/protocolReverts";
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/sdk/types.js";
import type { ServiceFacts } from "../../operation/context";
import { createCatalog } from "../../operations/service/catalog";

const JSON_TYPE = "application/json";

const readers: Record<string, (service: ServiceFacts) => object> = {
  "dueday://catalog": createCatalog,
  "dueday://errors": createErrorList,
};

export const resources: readonly Resource[] = [
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
];

/** @returns null for a resource that does not exist */
export function readResource(service: ServiceFacts, uri: string): ReadResourceResult | null {
  const read = Object.hasOwn(readers, uri) ? readers[uri] : undefined;
  if (read === undefined) return null;
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(read(service)) }] };
}

/** What each code means for its receiver. */
const meanings: Record<ErrorCode, string> = {
  VALIDATION_ERROR:
    "An input is invalid; issues names each field and what it accepts. Correct it before you send it again",
  UNAUTHORIZED: "The developer key is mistyped, unknown or revoked. Correct it, or send none for the free lane",
  KEYS_DISABLED: "Keys can't be managed here",
  ORIGIN_REFUSED: "A page of this origin may not use /mcp; the operator allows origins with MCP_ALLOWED_ORIGINS",
  NOT_FOUND: "The path, subscription, token or key does not exist; a subscription or token may exist on another chain",
  METHOD_NOT_ALLOWED: "The path does not accept this HTTP method; Allow lists those it accepts",
  NOT_READY:
    "A rule of the protocol forbids the transaction; issues lists each with its code. Resolve them, then prepare again",
  MAX_KEYS: "The subject has the maximum number of active keys. Revoke one first",
  PAYLOAD_TOO_LARGE: "The body is too large",
  UNSUPPORTED_MEDIA_TYPE: "Send JSON as Content-Type: application/json, uncompressed",
  SIMULATION_FAILED: "The chain would reject the transaction; revert has the reason. Nothing was prepared",
  RATE_LIMITED:
    "The limit named in bucket is used up. Wait for the seconds in Retry-After; upgradeHint explains how to get a higher limit",
  INTERNAL: "A bug in the service; it is logged under requestId",
  UPSTREAM_ERROR: "The node of the chain failed. Try again",
  UPSTREAM_UNAVAILABLE: "No node or store can be reached. Try again later",
  NOT_INDEXED: "The chain has not been read yet. Try again in a moment",
  API_DISABLED: "The operator has switched the service off",
  UPSTREAM_TIMEOUT: "The deadline passed. Try again",
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
