import type { ReadResourceResult, Resource } from "@modelcontextprotocol/sdk/types.js";
import type { Service } from "../../http/service";
import { createCatalog } from "../catalog/catalog";
import { createErrorList } from "./errorList";

const JSON_TYPE = "application/json";

const readers: Record<string, (service: Service) => object> = {
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
export function readResource(service: Service, uri: string): ReadResourceResult | null {
  const read = Object.hasOwn(readers, uri) ? readers[uri] : undefined;
  if (read === undefined) return null;
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(read(service)) }] };
}
