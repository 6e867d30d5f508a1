import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import packageJson from "../../../package.json";

/**
 * What the schema of 2025-12-11 of the MCP registry says of a server with remotes alone. That schema also takes fields that it does not know;
 * this one refuses them, so that a misspelt field is found.
 */
const exact = { additionalProperties: false };
const Input = Type.Object({ description: Type.String(), isRequired: Type.Boolean() }, exact);
const Header = Type.Object({ ...Input.properties, name: Type.String(), isSecret: Type.Boolean() }, exact);
const Remote = Type.Object(
  {
    type: Type.Literal("streamable-http"),
    url: Type.String({ pattern: "^https?://[^\\s]+$" }),
    variables: Type.Record(Type.String(), Input),
    headers: Type.Array(Header),
  },
  exact,
);
const ServerJson = Type.Object(
  {
    $schema: Type.Literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
    name: Type.String({ pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", minLength: 3, maxLength: 200 }),
    title: Type.String({ minLength: 1, maxLength: 100 }),
    description: Type.String({ minLength: 1, maxLength: 100 }),
    version: Type.Literal(packageJson.version),
    remotes: Type.Array(Remote, { minItems: 1 }),
  },
  exact,
);

const server: unknown = await Bun.file(new URL("../../../../../server.json", import.meta.url)).json();

test("server.json has the service's version and the form of the MCP registry", () => {
  expect([...Value.Errors(ServerJson, server)]).toEqual([]);
});

test("each variable of a remote's URL is described", () => {
  for (const { url, variables } of Value.Parse(ServerJson, server).remotes) {
    expect([...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(Object.keys(variables));
  }
});
