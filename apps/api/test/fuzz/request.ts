import fc from "fast-check";
import { arbitraryOf, junk } from "./arbitraryOf";
import type { DocumentedOperation, JsonSchema } from "./readDocument";

/** Values of an operation's inputs by name, wherever they live. */
export type Input = Record<string, unknown>;

export type FuzzRequest = {
  /** By construction: has to be answered 2xx. */
  valid: boolean;
  target: string;
  /** Text as it goes out; null for none. */
  body: string | null;
};

/** A request that carries exactly `input`. */
export function requestOf(operation: DocumentedOperation, input: Input, valid: boolean): FuzzRequest {
  const given = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const query = new URLSearchParams();
  let path = operation.path;
  for (const { name, in: place, schema } of operation.parameters) {
    const value = given.get(name);
    if (place === "path") path = path.replace(`{${name}}`, segment(value));
    else if (schema.type === "array" && Array.isArray(value))
      for (const each of value) query.append(name, textOf(each));
    else if (given.has(name)) query.append(name, textOf(value));
    given.delete(name);
  }
  const search = query.size === 0 ? "" : `?${query}`;
  const body = operation.body === null ? null : JSON.stringify(Object.fromEntries(given));
  return { valid, target: path + search, body };
}

/** An empty segment, or one of dots, would make another path of it. */
function segment(value: unknown): string {
  const text = textOf(value).toWellFormed();
  return /^\.{0,2}$/.test(text) ? "0x" : encodeURIComponent(text);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : (JSON.stringify(value) ?? "");
}

/** Each field from one of two valid inputs: right by itself, and mostly wrong beside the others. */
export function crossed(operation: DocumentedOperation, valid: fc.Arbitrary<Input>): fc.Arbitrary<FuzzRequest> {
  return fc.tuple(valid, valid, fc.infiniteStream(fc.boolean())).map(([one, other, choices]) => {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    const fields = [...keys].map((key) => [key, choices.next().value === true ? one[key] : (other[key] ?? one[key])]);
    return requestOf(operation, Object.fromEntries(fields), false);
  });
}

/** Inputs that fit the document, and mean nothing. */
export function fitting(operation: DocumentedOperation): fc.Arbitrary<FuzzRequest> {
  return inputs(operation, (schema) => arbitraryOf(schema)).map((input) => requestOf(operation, input, false));
}

/** Inputs of which some don't fit: values, keys, bodies that are not objects, repeated parameters. */
export function spoiled(operation: DocumentedOperation): fc.Arbitrary<FuzzRequest> {
  const values = inputs(operation, (schema) => fc.oneof(arbitraryOf(schema), junk));
  const requests = values.map((input) => requestOf(operation, input, false));
  const extraKeys = fc.dictionary(fc.string({ maxLength: 12 }), junk, { maxKeys: 2 });
  return fc
    .tuple(
      requests,
      extraKeys,
      fc.option(
        fc.oneof(
          junk.map((value) => JSON.stringify(value)),
          fc.string(),
        ),
        { freq: 3 },
      ),
    )
    .map(([request, extra, body]) => {
      const query = Object.entries(extra).map(([key, value]) => `${encode(key)}=${encode(textOf(value))}`);
      const separator = request.target.includes("?") ? "&" : "?";
      const target = query.length === 0 ? request.target : `${request.target}${separator}${query.join("&")}`;
      return { ...request, target, body: request.body === null ? null : (body ?? request.body) };
    });
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function inputs(
  { parameters, body }: DocumentedOperation,
  arbitrary: (schema: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Input> {
  const inPath = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const valueOfParameter = ({ name, schema }: (typeof parameters)[number]) =>
    // A chain that is not served would hide whatever else is in the request.
    name === "chainId"
      ? fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, arbitrary(schema))
      : // A block of the future costs five seconds.
        name === "minBlock"
        ? fc.constantFrom(undefined, "0", "1", "01", "-1", "x")
        : arbitrary(schema);
  const values = fc.record(Object.fromEntries(parameters.map((each) => [each.name, valueOfParameter(each)])), {
    requiredKeys: inPath,
  });
  if (body === null) return values;
  // The properties of a schema are schemas.
  const properties = Object.entries<JsonSchema>(Object(body.schema.properties));
  const loose = fc.record(Object.fromEntries(properties.map(([key, schema]) => [key, arbitrary(schema)])), {
    requiredKeys: [],
  });
  const bodies = fc.oneof(arbitraryOf(body.schema), loose);
  return fc.tuple(values, bodies).map(([own, others]) => ({ ...own, ...Object(others) }));
}
