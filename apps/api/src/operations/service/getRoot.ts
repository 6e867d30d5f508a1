import { ShortText } from "@dueday/core/schema";
import { withoutTrailing } from "@dueday/core/text/withoutTrailing";
import { Type } from "@sinclair/typebox";
import type { ServiceFacts } from "../../operation/context";
import { defineOperation } from "../../operation/defineOperation";

export const getRoot = defineOperation({
  name: "get_root",
  http: { method: "GET", path: "/" },
  summary: "Name, version and links",
  description: "Links to the catalog, the documentation, MCP and the health check.",
  chainScoped: false,
  bucket: "unlimited",
  area: "service",
  toolsets: [],
  annotations: { readOnlyHint: true, idempotentHint: true },
  errors: [],
  input: Type.Object({}),
  output: Type.Object({
    name: ShortText,
    version: ShortText,
    links: Type.Object({
      catalog: ShortText,
      docs: ShortText,
      openapi: ShortText,
      mcp: ShortText,
      status: ShortText,
    }),
  }),
  example: {},
  exampleAnswer: root,
  handler: async ({ service }) => root(service),
});

function root({ version, config }: Pick<ServiceFacts, "version" | "config">) {
  const base = withoutTrailing(config.publicUrl ?? "", "/");
  return {
    name: "dueday",
    version,
    links: {
      catalog: `${base}/catalog`,
      docs: `${base}/docs`,
      openapi: `${base}/openapi.json`,
      mcp: `${base}/mcp`,
      status: `${base}/status`,
    },
  };
}
