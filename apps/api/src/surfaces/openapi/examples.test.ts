import { afterAll, describe, expect, test } from "bun:test";
import { startDemoApi } from "@dueday/api/test/startDemoApi";

const ADMIN_SECRET = "an-admin-secret-of-this-test";
/** The key that its example names does not exist. */
const REVOKE = "/developer/keys/{id}";
/** They belong to a caller: their own tests create what the examples name. */
const OWNED = /^\/(webhooks|portal)\b/;

type Parameter = { name: string; in: "path" | "query" | "header"; example?: unknown };
type Described = {
  parameters: Parameter[];
  security: Record<string, unknown>[];
  requestBody?: { content: { "application/json": { example?: unknown } } };
  responses: Record<string, unknown>;
};
type OpenApi = { paths: Record<string, Record<string, Described>> };

const { api, stop } = await startDemoApi({ ADMIN_SECRET });
afterAll(stop);
// The document is JSON of this form: openapi.test.ts validates it.
const document = (await (await fetch(`${api.url}/openapi.json`)).json()) as OpenApi;
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  OWNED.test(path)
    ? []
    : Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
);

/** Sends the examples of an operation's parameters and body, as a generated client would. */
async function sendExample(method: string, path: string, operation: Described): Promise<Response> {
  const { parameters, security, requestBody } = operation;
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue;
    if (place === "path") target = target.replace(`{${name}}`, encodeURIComponent(String(example)));
    // A list is repeated: OpenAPI's default for a query.
    if (place === "query") for (const each of [example].flat()) query.append(name, String(each));
  }
  const body = requestBody?.content["application/json"].example;
  const isManaged = security.some((scheme) => "adminSecret" in scheme);
  return fetch(`${api.url}${target}?${query}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(isManaged ? { Authorization: `Bearer ${ADMIN_SECRET}` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** @returns the id of a new key */
async function createKey(subjectId: string): Promise<string> {
  const response = await fetch(`${api.url}/developer/keys`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_SECRET}` },
    body: JSON.stringify({ subjectId }),
  });
  return Object(await response.json()).id;
}

describe("the example of each operation, sent to the demo, gives the status that the document has for it", () => {
  test.each(described)("%s %s", async (method, path, operation) => {
    const success = Object.keys(operation.responses).filter((status) => status.startsWith("2"));
    const sent = path === REVOKE && method === "DELETE" ? path.replace("{id}", await createKey("examples")) : path;
    const response = await sendExample(method, sent, operation);
    const { status } = response;
    expect([status, status < 300 ? "" : await response.text()]).toEqual([Number(success[0]), ""]);
  });
});
