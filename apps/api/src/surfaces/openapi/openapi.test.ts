import { describe, expect, test } from "bun:test";
import { resolveReferences } from "@dueday/api/test/resolveReferences";
import { parseConfig } from "@dueday/config/parseConfig";
import { errorStatus } from "@dueday/core/errors";
import { Validator } from "@seriousme/openapi-schema-validator";
import Ajv2020 from "ajv/dist/2020";
import { isAlwaysOn } from "../../http/routes";
import { compileSchema } from "../../operation/compileSchema";
import { hasBody } from "../../operation/defineOperation";
import { operations } from "../../operations/operations";
import { camelCase } from "./camelCase";
import { glossary } from "./glossary";
import { createOpenApi } from "./openapi";

type Parameter = { name: string; in: string; required: boolean; schema: object; example?: unknown };
type Media = {
  "application/json": { schema: object; example?: unknown; examples?: { demo: { value: unknown } } };
};
type Described = {
  operationId: string;
  "x-mcp-tool"?: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  security: object[];
  requestBody?: { content: Media };
  responses: Record<string, { description: string; headers: object; content?: Media }>;
};

const config = parseConfig({ CHAINS: "8453" });
// What is sent is its JSON text.
const document = JSON.parse(JSON.stringify(createOpenApi({ version: "1.2.3", config, operations })));
// A reader follows references. resolveReferences keeps the form of the document.
const { paths } = resolveReferences(document) as { paths: Record<string, Record<string, Described>> };

function describedAs({ name, http }: (typeof operations)[number]): Described {
  const described = paths[http.path.replace(/:(\w+)/g, "{$1}")]?.[http.method.toLowerCase()];
  if (described === undefined) throw new Error(`${name} is not in the document`);
  return described;
}

test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect<unknown>({ valid, errors }).toEqual({ valid: true });
  expect(document.openapi).toBe("3.1.0");
});

test("every schema in it is one of JSON Schema 2020-12, and every reference leads somewhere", () => {
  // Not inlined, so that each component is compiled once.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false });
  ajv.addSchema(document, "openapi");
  for (const name of Object.keys(document.components.schemas)) {
    expect(ajv.getSchema(`openapi#/components/schemas/${name}`)).toBeFunction();
  }
  const references = new Set(JSON.stringify(document).match(/(?<="\$ref":"#\/)[^"]+/g));
  for (const path of references) {
    expect(path.split("/").reduce((part, key) => part?.[key], document)).toBeObject();
  }
});

test("no schema in it has a keyword outside JSON Schema", () => {
  const text = JSON.stringify(document);
  expect(text).not.toContain('"expects"');
  expect(text).not.toContain('"in":"body"');
});

test("key management requires the admin secret, webhooks, and permits with their signatures, a developer key or a portal session, the portal a session once it is signed in to; everything else accepts a developer key, or none", () => {
  const { securitySchemes } = document.components;
  for (const operation of operations) {
    const { security } = describedAs(operation);
    const { path } = operation.http;
    const expected = path.startsWith("/developer/keys")
      ? [{ adminSecret: [] }, { adminKey: [] }]
      : path.startsWith("/portal/")
        ? [/^.portal.(keys|usage|checkout|reminders)/.test(path) ? { portalSession: [] } : {}]
        : operation.area === "webhooks" || path.startsWith("/permits/") || operation.name === "list_permits"
          ? [{ developerKey: [] }, { portalSession: [] }]
          : [{}, { developerKey: [] }];
    expect(security).toEqual(expected);
    expect(securitySchemes).toContainKeys(security.flatMap((each) => Object.keys(each)));
  }
});

test("operation ids are the tools' names in camelCase, each once; the tool is named beside", () => {
  const ids = operations.map((operation) => describedAs(operation).operationId);
  expect(ids).toEqual(operations.map(({ name }) => camelCase(name)));
  for (const operation of operations)
    expect(describedAs(operation)["x-mcp-tool"]).toBe(operation.toolsets?.length === 0 ? undefined : operation.name);
  expect(new Set(ids).size).toBe(ids.length);
});

describe("each operation has", () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))("%s", (_name, operation) => {
    const described = describedAs(operation);
    expect(described.summary).not.toBe("");
    expect(described.description).not.toBe("");

    // An example that fits, of everything that has to be given.
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { required, schema, example } of described.parameters) {
      if (required) expect(example).toBeDefined();
      if (example !== undefined) expect(ajv.validate(schema, example)).toBe(true);
    }
    expect(described.parameters.some(({ name }) => name === "chainId")).toBe(operation.chainScoped);
    const body = described.requestBody?.content["application/json"];
    expect(body === undefined).toBe(!hasBody(operation.http.method));
    if (body !== undefined) expect(ajv.validate(body.schema, body.example)).toBe(true);
    for (const status of operation.statuses) {
      const answer = described.responses[status]?.content?.["application/json"];
      expect([...compileSchema(operation.output).Errors(answer?.examples?.demo.value)]).toEqual([]);
    }

    // Every status that it can have: its own, those of the gate, those of a body.
    const statuses = [
      ...operation.statuses,
      ...operation.errors.map((code) => errorStatus[code]),
      400,
      401,
      406,
      429,
      500,
      503,
      504,
      ...(operation.http.method === "GET" ? [] : [403]),
      ...(hasBody(operation.http.method) ? [413, 415] : []),
      ...(isAlwaysOn(operation.http.path) ? [] : [errorStatus.API_DISABLED]),
      ...(operation.polled ? [304] : []),
    ];
    expect(Object.keys(described.responses).map(Number)).toEqual([...new Set(statuses)].sort((a, b) => a - b));
    for (const { content, headers } of Object.values(described.responses)) {
      expect(headers).toHaveProperty("X-Request-Id");
      if (content !== undefined) expect(content["application/json"].schema).toBeObject();
    }
  });
});

test("every component is used, every answer and every record is one, and every property has a description", () => {
  const text = JSON.stringify(document);
  for (const [kind, components] of Object.entries<object>(document.components)) {
    if (kind === "securitySchemes") continue;
    for (const name of Object.keys(components))
      expect([name, text.includes(`"#/components/${kind}/${name}"`)]).toEqual([name, true]);
  }
  for (const operation of operations) {
    const { path, method } = operation.http;
    const { responses } = document.paths[path.replace(/:(\w+)/g, "{$1}")][method.toLowerCase()];
    for (const status of operation.statuses)
      expect(responses[status].content["application/json"].schema).toHaveProperty("$ref");
  }
  expect(undescribed(document, "#")).toEqual([]);
});

test("every word of the glossary describes a property", () => {
  const used = new Set(
    propertiesOf(document).flatMap(([name, { description }]) => (description === glossary[name] ? [name] : [])),
  );
  expect(Object.keys(glossary).filter((name) => !used.has(name))).toEqual([]);
});

function propertiesOf(part: unknown): [string, { description?: unknown }][] {
  if (typeof part !== "object" || part === null) return [];
  const own = Object.entries(Object(Reflect.get(part, "properties"))).map(([name, schema]): [string, object] => [
    name,
    Object(schema),
  ]);
  return [...own, ...Object.values(part).flatMap(propertiesOf)];
}

function undescribed(part: unknown, path: string): string[] {
  if (typeof part !== "object" || part === null || /\/(?:example|value)$/.test(path)) return [];
  const properties = Reflect.get(part, "properties");
  const missing = Object.entries(Object(properties)).flatMap(([name, schema]) => {
    const has = Object(schema).$ref !== undefined || Object(schema).description !== undefined;
    return has ? [] : [`${path}/${name}`];
  });
  return [...missing, ...Object.entries(part).flatMap(([key, inside]) => undescribed(inside, `${path}/${key}`))];
}
