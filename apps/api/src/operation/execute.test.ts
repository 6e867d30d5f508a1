import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { ServiceError } from "@dueday/core/errors";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { DatabaseError } from "@dueday/db/databaseError";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Type } from "@sinclair/typebox";
import { toServiceError } from "../answers/toServiceError";
import type { Context } from "./context";
import { defineOperation, inBody } from "./defineOperation";

const SECRET = "postgres://user:pa55word@db.internal/x";

/** An operation with the given handler. */
function operation(
  name: string,
  handler: (context: Context) => Promise<{ fine: boolean }>,
  { deadlineMs = 5_000, readOnlyHint = true } = {},
) {
  return defineOperation({
    name,
    http: { method: "POST", path: `/${name}` },
    summary: name,
    description: name,
    chainScoped: false,
    bucket: "cheap",
    area: "service",
    toolsets: [],
    annotations: { readOnlyHint },
    errors: [],
    input: Type.Object({ size: inBody(Type.Integer({ default: 3 })) }),
    output: Type.Object({ fine: Type.Boolean() }),
    example: {},
    deadlineMs,
    handler,
  });
}

let aborted: unknown;
/** What an operation has changed. */
const written: string[] = [];
const answered = Promise.withResolvers<void>();
const operations = [
  operation(
    "hangs",
    ({ signal }) => {
      signal.addEventListener("abort", () => {
        aborted = signal.reason;
      });
      return new Promise(() => {});
    },
    { deadlineMs: 20 },
  ),
  operation(
    "writes_late",
    async () => {
      await answered.promise;
      written.push("late");
      return { fine: true };
    },
    { deadlineMs: 20, readOnlyHint: false },
  ),
  operation("breaks", () => Promise.reject(new Error(`no such table at ${SECRET}`))),
  operation("throws_at_once", () => {
    throw new TypeError(`undefined is not at ${SECRET}`);
  }),
  // The types of the handler forbid both.
  operation("returns_wrong_type", async () => JSON.parse('{"fine":"yes"}')),
  operation("returns_unknown_key", async () => JSON.parse('{"fine":true,"more":1}')),
  operation("refuses", () =>
    Promise.reject(new ServiceError("NOT_READY", "Not now", { issues: [{ code: "NOTHING_DUE", message: "b" }] })),
  ),
];

const database = await createTestDatabase();
const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const api = await startTestApi({ database, rpcUrl: "http://127.0.0.1:9", contract, operations });
afterAll(() => api.stop());

const call = (name: string) => callApi(api, `/${name}`, { method: "POST", body: {} });

test("a handler that does not end is 504 at its deadline, and its signal is aborted", async () => {
  const { status, body } = await call("hangs");
  expect([status, body.code]).toEqual([504, "UPSTREAM_TIMEOUT"]);
  expect(body.error).toEndWith("; try again");
  expect(aborted).toBeInstanceOf(ServiceError);
});

test("an operation that changes something may take effect after its deadline, as its error states", async () => {
  const { status, body } = await call("writes_late");
  expect([status, body.code]).toEqual([504, "UPSTREAM_TIMEOUT"]);
  expect(body.error).toEndWith(
    "it may have taken effect, or may still do so: read what is stored before you try again",
  );
  expect(written).toEqual([]);
  answered.resolve();
  await waitUntil("the change", () => written.length > 0);
});

test.each(["breaks", "throws_at_once", "returns_wrong_type", "returns_unknown_key"])(
  "%s: a bug is INTERNAL for the client, and the log has its details",
  async (name) => {
    const { status, body, text } = await call(name);
    expect([status, body.code]).toEqual([500, "INTERNAL"]);
    expect(Object.keys(body)).toEqual(["error", "code", "docs", "requestId"]);
    await waitUntil("the log", () => api.requestLog().some((line) => line.requestId === body.requestId));
    const [line, ...others] = api.requestLog().filter((each) => each.requestId === body.requestId);
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      level: "error",
      code: "INTERNAL",
      operation: name,
      internal: { name: expect.any(String) },
    });
    expect(text + api.logText()).not.toContain("pa55word");
  },
);

test("a ServiceError is sent unchanged", async () => {
  const { status, body } = await call("refuses");
  expect(status).toBe(409);
  expect(body).toMatchObject({ error: "Not now", code: "NOT_READY", issues: [{ code: "NOTHING_DUE", message: "b" }] });
});

test("a database that does not answer is 503, and the answer contains nothing of its address", async () => {
  const database = connectDatabase({ url: "postgres://somebody:secret@127.0.0.1:9/away", deadlineMs: 2_000 });
  const error = await readCheckpoint(database, { chainId: 1, contract: "0x" }).catch(toServiceError);
  expect(error).toMatchObject({
    code: "UPSTREAM_UNAVAILABLE",
    status: 503,
    details: { action: "read the checkpoint" },
  });
  expect(JSON.stringify(error)).not.toMatch(/secret|127\.0\.0\.1/);
  await database.close();
});

test("a statement that the database rejects is INTERNAL", () => {
  expect(toServiceError(new DatabaseError("read", "42703"))).toMatchObject({ code: "INTERNAL", status: 500 });
});
