import { afterAll, describe, expect, test } from "bun:test";
import { parseConfig } from "@dueday/config/parseConfig";
import { type ErrorCode, errorStatus } from "@dueday/core/errors";
import { createTestDatabase } from "../../../../test/createTestDatabase";
import { callApi } from "../../test/callApi";
import { startTestApi } from "../../test/startTestApi";
import { operations } from "../operations/operations";
import { createCatalog } from "./catalog";
import golden from "./catalog.golden.json" with { type: "json" };
import { createOpenApi } from "./openapi";

const config = parseConfig({});

describe("the catalog", () => {
  const catalog = createCatalog({ config, operations });

  test("equals the golden file (after a deliberate change: UPDATE_GOLDEN=1 bun test of this file)", async () => {
    if (process.env.UPDATE_GOLDEN === "1") {
      await Bun.write(`${import.meta.dir}/catalog.golden.json`, `${JSON.stringify(catalog, null, 2)}\n`);
    } else {
      expect(JSON.parse(JSON.stringify(catalog))).toEqual(golden);
    }
  });

  const limits = ["globalRpm", "expensiveRpm", "subgraphDaily", "writeRpm", "writeDaily", "dailyTotalRequests"];
  test.each([
    ...["version", "chainId", "chains", "pathNote", "access", "apiEnabled", "developerKeysEnabled", "routes"],
    ...["chainId", "caip2", "name", "rest", "mcp", "default"].map((field) => `chains.0.${field}`),
    ...["method", "path", "description"].map((field) => `routes.0.${field}`),
    ...["auth", "limits"].flatMap((field) => [`access.rest.free.${field}`, `access.mcp.${field}`]),
    ...["auth", "enabled", "limits", "management"].map((field) => `access.rest.developer.${field}`),
    ...["create", "list", "revoke", "adminAuth"].map((field) => `access.rest.developer.management.${field}`),
    ...limits.flatMap((name) =>
      ["rest.free.limits", "rest.developer.limits", "mcp.limits.free"].map((at) => `access.${at}.${name}`),
    ),
  ])("the golden file has %s", (path) => {
    expect(golden).toHaveProperty(path);
  });

  test("ships with the default chain, version 3, and the documented limits", () => {
    expect(golden).toMatchObject({
      version: "3",
      chainId: 8453,
      chains: [{ chainId: 8453, caip2: "eip155:8453", rest: true, mcp: true, default: true }],
      access: { rest: { free: { auth: "none", limits: { globalRpm: 20 } }, developer: { limits: { globalRpm: 80 } } } },
    });
    for (const { path } of golden.routes) expect(path).toMatch(/^\/api(\/|$)/);
  });
});

type Described = {
  operationId: string;
  responses: Record<string, unknown>;
  parameters: { name: string; in: string }[];
};

describe("the OpenAPI document", () => {
  const text = JSON.stringify(createOpenApi({ version: "1", config, operations }));
  const document: {
    openapi: string;
    paths: Record<string, Record<string, Described>>;
    components: { schemas: object };
  } = JSON.parse(text);

  test.each(operations.map((operation) => [operation.name, operation] as const))(
    "describes %s with every status of its errors",
    (_, operation) => {
      const path = operation.http.path.replace(/:(\w+)/g, "{$1}");
      const described = document.paths[path]?.[operation.http.method.toLowerCase()];
      expect(described?.operationId).toBe(operation.name);
      const codes: ErrorCode[] = ["VALIDATION_ERROR", "RATE_LIMITED", "INTERNAL", ...operation.errors];
      for (const code of codes) expect(described?.responses).toHaveProperty([String(errorStatus[code])]);
      const names = described?.parameters.map(({ name }) => name) ?? [];
      expect(names.includes("chainId")).toBe(operation.chainScoped);
      expect(described?.responses["304"] !== undefined).toBe(operation.polled);
    },
  );

  test("refers only to components that it has, and keeps our own words to itself", () => {
    const components: Record<string, object> = JSON.parse(text).components;
    for (const [, kind = "", name = ""] of text.matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
      expect(components).toHaveProperty([kind, name]);
    }
    expect(text).not.toContain('"expects"');
    expect(text).not.toMatch(/"in":"body"/);
  });
});

describe("the docs page", async () => {
  const database = await createTestDatabase();
  const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
  const api = await startTestApi({ database, rpcUrl: "http://127.0.0.1:9", contract });
  afterAll(() => api.stop());

  test.each(["/docs", "/api/docs"])("%s names no other host, and all that it loads is served here", async (path) => {
    const page = await callApi(api, path);
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/https?:|\/\/[a-z]/);
    expect(page.text).toContain('"withDefaultFonts":false');
    expect(page.text).toContain('"telemetry":false');
    for (const [, resource = ""] of page.text.matchAll(/(?:src|href|data-url)="([^"]+)"/g)) {
      expect((await callApi(api, resource)).status).toBe(200);
    }
  });

  test("/openapi.json is the document of this process", async () => {
    const { status, body } = await callApi(api, "/openapi.json");
    expect([status, body.openapi]).toEqual([200, "3.1.0"]);
  });
});
