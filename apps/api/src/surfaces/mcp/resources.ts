import { type ErrorCode, errorStatus } from "@dueday/core/errors";
import { protocolReverts } from "@dueday/core/reverts/protocolReverts";
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/sdk/types.js";
import type { ServiceFacts } from "../../operation/context";
import { createCatalog } from "../catalog/catalog";

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

/** What each code means for who meets it. */
const meanings: Record<ErrorCode, string> = {
  VALIDATION_ERROR: "An input does not fit; issues names each field and what would fit. Correct it, do not repeat it",
  UNAUTHORIZED: "The developer key is mistyped, unknown or revoked. Correct it, or send none for the free lane",
  KEYS_DISABLED: "Keys can't be managed here",
  ORIGIN_REFUSED: "A page of this origin may not use /mcp; the operator allows origins with MCP_ALLOWED_ORIGINS",
  NOT_FOUND: "What was asked for does not exist, on this chain",
  METHOD_NOT_ALLOWED: "The path does not take this HTTP method; Allow names those it takes",
  NOT_READY: "A rule of the protocol says no; issues lists each with its code. Resolve them, then prepare again",
  MAX_KEYS: "The subject has as many active keys as it may have. Revoke one first",
  PAYLOAD_TOO_LARGE: "The body is too large",
  UNSUPPORTED_MEDIA_TYPE: "Send JSON as Content-Type: application/json, uncompressed",
  SIMULATION_FAILED: "The chain would refuse the transaction; revert says why. Nothing was prepared",
  RATE_LIMITED: "bucket is used up. Wait as long as Retry-After says; upgradeHint tells how to get more",
  INTERNAL: "A bug; it is logged under requestId",
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
