import { describe, expect, test } from "bun:test";
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { operations } from "../operations/operations";
import { checkInput } from "./checkInput";
import { defineOperation, inBody, inPath, inQuery, type Operation } from "./defineOperation";

function define(input: TProperties, http: Partial<Operation["http"]> = {}, name = "do_it"): Operation {
  return defineOperation({
    name,
    http: { method: "GET", path: "/things", ...http },
    summary: "",
    description: "",
    chainScoped: false,
    bucket: "cheap",
    area: "service",
    toolsets: [],
    annotations: { readOnlyHint: true },
    errors: [],
    input: Type.Object(input),
    output: Type.Object({}),
    example: {},
    handler: async () => ({}),
  });
}

const text = Type.String();

describe("a definition that contradicts itself is rejected when the process starts", () => {
  test.each<[string, () => Operation, RegExp]>([
    ["a property without a place", () => define({ a: text }), /has no place/],
    ["a body on GET", () => define({ a: inBody(text) }), /GET has none/],
    ["a chainId of its own", () => define({ chainId: inQuery(text) }), /chainId is not an input/],
    ["a path parameter that is not in the path", () => define({ id: inPath(text) }), /must be inPath exactly if/],
    ["a path parameter that is not in the input", () => define({}, { path: "/things/:id" }), /:id is not in its input/],
    [
      "a query that is not a plain value",
      () => define({ a: inQuery(Type.Array(Type.Integer())) }),
      /can't be in a query/,
    ],
    ["a name that is not snake_case", () => define({}, {}, "doIt"), /snake_case/],
  ])("%s", (_, build, message) => {
    expect(build).toThrow(message);
  });
});

test("every input with a pattern has words for it, since messages never show a pattern", () => {
  const withoutWords = (schema: TSchema): boolean =>
    [schema, ...Object.values<TSchema>(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])].some(
      (part) => (part === schema ? "pattern" in part && !("expects" in part) : withoutWords(part)),
    );
  const named = operations.flatMap(({ name, input }) =>
    Object.entries<TSchema>(input.properties).flatMap(([key, schema]) =>
      withoutWords(schema) ? [`${name} ${key}`] : [],
    ),
  );
  expect(named).toEqual([]);
});

test("names and routes are unique", () => {
  expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  expect(new Set(operations.map(({ http }) => `${http.method} ${http.path}`)).size).toBe(operations.length);
});

test.each(operations.map((operation) => [operation.name, operation] as const))(
  "the example of %s fits",
  (_, operation) => {
    expect(() => checkInput(operation, { values: { ...operation.example }, issues: [] })).not.toThrow();
  },
);
