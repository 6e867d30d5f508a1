import { expect, test } from "bun:test";
import { createTestExchange } from "@dueday/api/test/createTestExchange";
import { createCors, preflightFields } from "./createCors";
import { createFinish } from "./createFinish";

const allowedFor = (origins: string[], origin: string | null) =>
  createCors(origins)?.fields(origin)["Access-Control-Allow-Origin"];

test("a page of a listed origin may read answers and the fields a client needs, any other page nothing", () => {
  const cors = createCors(["https://app.example"]);
  expect(cors?.fields("https://app.example")).toMatchObject({
    "Access-Control-Allow-Origin": "https://app.example",
    Vary: "Origin",
  });
  const exposed = cors?.fields("https://app.example")["Access-Control-Expose-Headers"]?.split(", ");
  for (const name of [
    "X-Service-Lane",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "ETag",
    "X-As-Of",
    "X-Request-Id",
  ])
    expect(exposed).toContain(name);
  for (const origin of ["https://app.example.evil", "https://evil", "null", "*"])
    expect(allowedFor(["https://app.example"], origin)).toBeUndefined();
});

test("a page may send what MCP of revision 2026-07-28 and a stream that is continued have in their headers", () => {
  const allowed = preflightFields("POST")["Access-Control-Allow-Headers"]?.split(", ");
  for (const name of ["Mcp-Method", "Mcp-Name", "MCP-Protocol-Version", "Mcp-Session-Id", "Last-Event-ID"])
    expect(allowed).toContain(name);
});

test("with * any page may read, and a request without an Origin gets none of these headers", () => {
  expect(allowedFor(["*"], "https://any.example")).toBe("*");
  expect(createCors(["*"])?.fields(null)).toEqual({});
});

test("without origins nothing is allowed", () => {
  expect(createCors([])).toBeNull();
});

test("Vary lists Origin on every answer, also where the request had none", () => {
  expect(createCors(["https://app.example"])?.fields(null)).toEqual({ Vary: "Origin" });
});

test("an answer that varies by another header keeps it", () => {
  const cors = createCors(["https://app.example"]);
  const finish = createFinish({ cors, logRequest: () => {}, countRequest: () => {} });
  const answer = new Response("", { headers: { Vary: "Accept-Encoding" } });
  expect(finish(createTestExchange(), answer).headers.get("vary")).toBe("Accept-Encoding, Origin");
});
