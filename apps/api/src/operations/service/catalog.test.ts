import { expect, test } from "bun:test";
import { parseConfig } from "@dueday/config/parseConfig";
import { operations } from "../operations";
import { createCatalog } from "./catalog";
import golden from "./catalog.golden.json" with { type: "json" };

const catalog = createCatalog({ config: parseConfig({}), operations });

test("the catalog equals the golden file (after a deliberate change: UPDATE_GOLDEN=1 bun test of this file)", async () => {
  if (process.env.UPDATE_GOLDEN === "1") {
    await Bun.write(`${import.meta.dir}/catalog.golden.json`, `${JSON.stringify(catalog, null, 2)}\n`);
  } else {
    expect(JSON.parse(JSON.stringify(catalog))).toEqual(golden);
  }
});

const limits = ["globalRpm", "expensiveRpm", "subgraphDaily", "writeRpm", "writeDaily", "dailyTotalRequests"];
test.each([
  "version",
  "chainId",
  "chains",
  "pathNote",
  "access",
  "apiEnabled",
  "developerKeysEnabled",
  "routes",
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

test("it ships with the default chain, version 3, and the documented limits", () => {
  expect(golden).toMatchObject({
    version: "3",
    chainId: 8453,
    chains: [{ chainId: 8453, caip2: "eip155:8453", rest: true, mcp: true, default: true }],
    access: { rest: { free: { auth: "none", limits: { globalRpm: 20 } }, developer: { limits: { globalRpm: 80 } } } },
  });
  for (const { path } of golden.routes) expect(path).toMatch(/^\/api(\/|$)/);
});
