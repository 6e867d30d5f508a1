import { expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { Type } from "@sinclair/typebox";
import { defineOperation } from "./operation/defineOperation";

const database = await createTestDatabase();
const parts = {
  database,
  rpcUrl: "http://127.0.0.1:9",
  contract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
};

test("a port in use is reported in one sentence, and the first process keeps all of its requests", async () => {
  const first = await startTestApi(parts);
  const { port } = new URL(first.url);
  await expect(startTestApi({ ...parts, env: { PORT: port } })).rejects.toThrow(
    `port ${port} of 127.0.0.1 is in use: stop the other process, or set PORT`,
  );
  await callApi(first, "/status");
  await first.stop();
});

test("a stopped API releases its port", async () => {
  const first = await startTestApi(parts);
  const { port } = new URL(first.url);
  await first.stop();
  const second = await startTestApi({ ...parts, env: { PORT: port } });
  expect((await callApi(second, "/")).status).toBe(200);
  await second.stop();
});

test("a stopping API answers the requests that it has received, and then ends", async () => {
  const received = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const slow = defineOperation({
    name: "wait",
    http: { method: "GET", path: "/wait" },
    summary: "Waits",
    description: "Waits",
    chainScoped: false,
    bucket: "cheap",
    area: "service",
    annotations: { readOnlyHint: true },
    errors: [],
    input: Type.Object({}),
    output: Type.Object({ waited: Type.Boolean() }),
    example: {},
    async handler() {
      received.resolve();
      await answered.promise;
      return { waited: true };
    },
  });
  const api = await startTestApi({ ...parts, operations: [slow] });
  const answer = callApi(api, "/wait");
  await received.promise;
  const stopped = api.stop();
  answered.resolve();
  expect((await answer).body).toEqual({ waited: true });
  await stopped;
});

test("with API_ENABLED false only the root, the status, the catalog and the documents answer", async () => {
  const api = await startTestApi({ ...parts, env: { API_ENABLED: "false", ADMIN_SECRET: "sixteen characters" } });
  for (const path of ["/", "/catalog", "/docs/errors", "/openapi.json"])
    expect((await callApi(api, path)).status).toBe(200);
  const admin = { headers: { "X-Service-Admin-Key": "sixteen characters" } };
  for (const path of ["/protocol/state", "/developer/keys?subjectId=reader"]) {
    const { status, body } = await callApi(api, path, admin);
    expect([path, status, body.code]).toEqual([path, 503, "API_DISABLED"]);
  }
  await api.stop();
});

test("ALLOWED_HOSTS refuses any other name", async () => {
  const api = await startTestApi({ ...parts, env: { ALLOWED_HOSTS: "api.example.org" } });
  const statusFor = async (host: string) => (await callApi(api, "/catalog", { headers: { Host: host } })).status;
  expect(await statusFor("api.example.org")).toBe(200);
  expect(await statusFor("API.example.org:8080")).toBe(200);
  expect(await statusFor("other.example.org")).toBe(400);
  await api.stop();
});

test("without CORS_ORIGINS no page of another origin may read an answer, and no answer depends on the origin", async () => {
  const api = await startTestApi(parts);
  for (const [method, path] of [
    ["GET", "/catalog"],
    ["OPTIONS", "/catalog"],
    ["GET", "/nothing"],
  ] as const) {
    const { headers } = await callApi(api, path, { method, headers: { origin: "https://app.example" } });
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("vary")).toBeNull();
  }
  await api.stop();
});
