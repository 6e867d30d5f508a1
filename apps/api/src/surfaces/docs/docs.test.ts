import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { resolveReferences } from "@dueday/api/test/resolveReferences";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { operations } from "../../operations/operations";

type Parameter = { name: string; example?: string };

const database = await createTestDatabase();
const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const api = await startTestApi({ database, rpcUrl: "http://127.0.0.1:9", contract });
afterAll(() => api.stop());

test.each(["/docs", "/api/docs"])("%s names no other host, and all that it loads is served here", async (path) => {
  const page = await callApi(api, path);
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/https?:|\/\/[a-z]/);
  for (const off of [
    '"withDefaultFonts":false',
    '"telemetry":false',
    '"agent":{"disabled":true}',
    '"mcp":{"disabled":true}',
  ]) {
    expect(page.text).toContain(off);
  }
  const loaded = [...page.text.matchAll(/(?:src|href|data-url)="([^"]+)"/g)].map(([, resource = ""]) => resource);
  expect(loaded).toEqual(["/openapi.json", "/docs/scalar.js"]);
  for (const resource of loaded) expect((await callApi(api, resource)).status).toBe(200);
});

test("/openapi.json is the document of this process, and the chain of its examples one that it serves", async () => {
  const { status, text } = await callApi(api, "/openapi.json");
  // The test of the document validates its form.
  const document = resolveReferences(JSON.parse(text)) as {
    openapi: string;
    paths: Record<string, Record<string, { parameters: Parameter[] }>>;
  };
  expect([status, document.openapi]).toEqual([200, "3.1.0"]);
  const parameters = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap((described) => described.parameters),
  );
  const chains = parameters.filter(({ name }) => name === "chainId").map(({ example }) => example);
  expect(new Set(chains)).toEqual(new Set(["eip155:31337"]));
});

test("/llms.txt lists every operation that is a tool, costs nothing, and its links are served here", async () => {
  const { status, headers, text } = await callApi(api, "/llms.txt");
  expect([status, headers.get("content-type"), headers.get("ratelimit")]).toEqual([
    200,
    "text/plain; charset=utf-8",
    null,
  ]);
  for (const { name, http, toolsets } of operations)
    expect([name, text.includes(`\`${http.method} ${http.path}\` (${name}):`)]).toEqual([name, toolsets?.length !== 0]);
  for (const [, path = ""] of text.matchAll(/\]\((\/[^)]+)\)/g))
    expect([path, (await callApi(api, path)).status]).not.toEqual([path, 404]);
});
