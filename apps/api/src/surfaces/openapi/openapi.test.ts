import { describe, expect, test } from "bun:test";
import { parseConfig } from "@dueday/config/parseConfig";
import { errorStatus } from "@dueday/core/errors";
import { Validator } from "@seriousme/openapi-schema-validator";
import Ajv2020 from "ajv/dist/2020";
import { compileSchema } from "../../operation/compileSchema";
import { operations } from "../../operations/operations";
import { createOpenApi } from "./openapi";

type Parameter = { name: string; in: string; required: boolean; schema: object; example?: unknown };
type Media = { "application/json": { schema: object; example?: unknown } };
type Described = {
  operationId: string;
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

function describedAs({ http }: (typeof operations)[number]): Described {
  return document.paths[http.path.replace(/:(\w+)/g, "{$1}")][http.method.toLowerCase()];
}

test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect<unknown>({ valid, errors }).toEqual({ valid: true });
  expect(document.openapi).toBe("3.1.0");
});

test("every schema in it is one of JSON Schema 2020-12, and every reference leads somewhere", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "openapi");
  for (const name of Object.keys(document.components.schemas)) {
    expect(ajv.getSchema(`openapi#/components/schemas/${name}`)).toBeFunction();
  }
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
  for (const [, path = ""] of references) {
    expect(path.split("/").reduce((part, key) => part?.[key], document)).toBeObject();
  }
});

test("no schema in it has a keyword outside JSON Schema", () => {
  const text = JSON.stringify(document);
  expect(text).not.toContain('"expects"');
  expect(text).not.toContain('"in":"body"');
});

test("key management requires the admin secret; everything else accepts a developer key, or none", () => {
  const { securitySchemes } = document.components;
  for (const operation of operations) {
    const { security } = describedAs(operation);
    const managed = operation.http.path.startsWith("/developer/keys");
    expect(security).toEqual(managed ? [{ adminSecret: [] }, { adminKey: [] }] : [{}, { developerKey: [] }]);
    expect(securitySchemes).toContainKeys(security.flatMap((each) => Object.keys(each)));
  }
});

test("operation ids are the tools' names, each once", () => {
  const ids = operations.map((operation) => describedAs(operation).operationId);
  expect(ids).toEqual(operations.map(({ name }) => name));
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
    expect(body === undefined).toBe(operation.http.method !== "POST");
    if (body !== undefined) expect(ajv.validate(body.schema, body.example)).toBe(true);
    if (body === undefined && described.parameters.every(({ example }) => example === undefined)) {
      for (const status of operation.statuses) {
        const answer = described.responses[status]?.content?.["application/json"];
        expect([...compileSchema(operation.output).Errors(answer?.example)]).toEqual([]);
      }
    }

    // Every status that it can have: its own, those of the gate, those of a body.
    const statuses = [
      ...operation.statuses,
      ...operation.errors.map((code) => errorStatus[code]),
      ...[400, 401, 429, 500, 504],
      ...(operation.http.method === "POST" ? [413, 415] : []),
      ...(operation.bucket === "unlimited" ? [] : [errorStatus.API_DISABLED]),
      ...(operation.polled ? [304] : []),
    ];
    expect(Object.keys(described.responses).map(Number)).toEqual([...new Set(statuses)].sort((a, b) => a - b));
    for (const { content, headers } of Object.values(described.responses)) {
      expect(headers).toHaveProperty("X-Request-Id");
      if (content !== undefined) expect(content["application/json"].schema).toBeObject();
    }
  });
});
