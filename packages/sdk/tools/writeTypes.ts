import type { Operation } from "@dueday/api/operation/defineOperation";
import { errorCodesOf } from "@dueday/api/surfaces/openapi/errorCodesOf";
import { DomainEvent, eventTypes } from "@dueday/core/domainEvents/domainEvent";
import { errorStatus, Issue } from "@dueday/core/errors";
import { Revert } from "@dueday/core/reverts/revert";
import { TypeText } from "@dueday/core/schema";
import { WebhookChallenge, WebhookTest } from "@dueday/core/webhooks/webhook";
import { Kind, OptionalKind, type TProperties, type TSchema } from "@sinclair/typebox";
import { camelCase, pascalCase } from "./routesOfOperations";

/**
 * The declarations that stand in for `operationTypes.ts` in the published package: the same types, written out from the schemas, so
 * that they need neither the service nor a schema library. A test compares them with the inferred ones.
 */
export function writeTypes(operations: readonly Operation[]): string {
  const entries = operations.map(({ name }) => {
    const type = pascalCase(name);
    return `${camelCase(name)}: {\n input: ${type}Input;\n output: ${type}Answer;\n};`;
  });
  const names = (values: readonly string[]) => values.map((value) => JSON.stringify(value)).join(" | ");
  const prepares = operations.filter(hasTwoForms).map(({ name }) => camelCase(name));
  return [
    'import type { CallOptions } from "./callOptions";\nimport type { PrepareMethod } from "./duedayMethod";\nimport type { DuedayError } from "./http/duedayError";',
    ...operations.map(namedTypes),
    `${comment("Input and output of each operation of the service.")}export interface Operations {\n${entries.join("\n")}\n}`,
    `${comment("One method for each operation of the service.")}export interface DuedayMethods {\n${operations.map(methodSignature).join("\n")}\n}`,
    `${comment("The name of an operation in camelCase.")}export type OperationName = keyof Operations;`,
    `${comment("The operations whose answer has two forms.")}export type PrepareName = ${names(prepares)};`,
    `${comment("Every error code of the service.")}export type ErrorCode = ${names(Object.keys(errorStatus))};`,
    `${comment("One fault of an input, or one rule that refuses.")}export type Issue = ${typeText(Issue)};`,
    `${comment("A revert of the protocol or of a token, decoded.")}export type Revert = ${typeText(Revert)};`,
    `${comment("A type of event.")}export type EventType = ${names(eventTypes)};`,
    `${comment("Something that happened. `type` decides what `data` has; `id` is the same in every delivery.")}export type DuedayEvent = ${typeText(DomainEvent)};`,
    `${comment("What a test of a webhook sends instead of an event.")}export type WebhookTest = ${typeText(WebhookTest)};`,
    `${comment("What a challenge of a webhook sends: answer it with `data.challenge` as the whole body.")}export type WebhookChallenge = ${typeText(WebhookChallenge)};`,
    "",
  ].join("\n\n");
}

/** Input, answer and error of an operation as named types: an editor shows the name instead of all properties. */
function namedTypes(operation: Operation): string {
  const { detail: _, ...properties } = operation.input.properties;
  const [name, method] = [pascalCase(operation.name), camelCase(operation.name)];
  const codes = [...errorCodesOf(operation)].map((code) => JSON.stringify(code));
  return [
    `${comment(`Input of \`${method}\`.`)}export type ${name}Input = ${objectText(properties, "input")};`,
    `${comment(`Answer of \`${method}\`.`)}export type ${name}Answer = ${typeText(operation.output)};`,
    `${comment(`What \`${method}\` rejects with where the service refuses or fails.`)}export type ${name}Error = DuedayError<${codes.join(" | ")}>;`,
  ].join("\n\n");
}

function methodSignature(operation: Operation): string {
  const type = pascalCase(operation.name);
  const above = comment(methodText(operation));
  if (hasTwoForms(operation))
    return `${above}${camelCase(operation.name)}: PrepareMethod<${type}Input, ${type}Answer>;`;
  const properties = Object.entries(operation.input.properties);
  const optional = properties.every(([, property]) => isOptionalInput(property)) ? "?" : "";
  const signature = `(input${optional}: ${type}Input, options?: CallOptions) => Promise<${type}Answer>;`;
  return `${above}${camelCase(operation.name)}: ${signature}`;
}

function hasTwoForms({ input }: Operation): boolean {
  return "readinessOnly" in input.properties;
}

/** The comment of a method: what an editor shows at its name. */
function methodText(operation: Operation): string {
  const { name, summary, description } = operation;
  const own = operation.errors.map((code) => `\`${code}\``).join(", ");
  const codes = own === "" ? "" : `: ${own}, or one of the codes that every operation has`;
  return [
    `${summary}. ${description}`,
    `@throws {${pascalCase(name)}Error}${codes}`,
    `@example\n${exampleOf(operation)}`,
  ].join("\n\n");
}

/** A call with the operation's own example input. */
export function exampleOf({ name, example, input, output }: Operation): string {
  const isFact = (key: string) => !(key in input.properties) && !COMMON_FIELDS.includes(key);
  const facts = Object.keys(output.properties ?? {}).filter(isFact);
  const variable = facts.length === 0 ? "answer" : `{ ${facts.slice(0, 2).join(", ")} }`;
  const call = (given: string) => `const ${variable} = await dueday.${camelCase(name)}(${given});`;
  const entries = Object.entries(example).map(([key, value]) => `${key}: ${literal(value)}`);
  if (entries.length === 0) return call("");
  const line = call(`{ ${entries.join(", ")} }`);
  return line.length <= LONGEST_LINE ? line : call(`{\n${entries.map((entry) => `  ${entry},\n`).join("")}}`);
}

const LONGEST_LINE = 120;

/** Fields that many answers have, or that repeat the input: an example shows others. */
const COMMON_FIELDS = ["chainId", "asOf", "requestId", "summary", "id", "account", "provider", "fromDate", "toDate"];

/** A value as source text. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${key}: ${literal(each)}`)
    .join(", ")} }`;
}

/** Inputs may leave out properties with a default, may have undefined for optional ones, and have readonly lists. */
type Direction = "input" | "output";

function typeText(schema: TSchema): string {
  if (TypeText in schema) return String(schema[TypeText]);
  if (Array.isArray(schema.anyOf)) return unionText(schema.anyOf);
  if ("const" in schema) return JSON.stringify(schema.const);
  switch (schema.type) {
    case "object":
      return schema.patternProperties === undefined
        ? objectText(schema.properties ?? {}, "output")
        : recordText(schema.patternProperties);
    case "array":
      return `(${typeText(schema.items)})[]`;
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
  }
  if (schema[Kind] === "Unknown") return "unknown";
  throw new Error(`no declaration is known for a schema of kind ${String(schema[Kind])}`);
}

function unionText(members: readonly TSchema[]): string {
  return [...new Set(members.map((member) => `(${typeText(member)})`))].join(" | ");
}

/** A list of an input is readonly, also where it may be null. */
function inputText(schema: TSchema): string {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((member: TSchema) => `(${inputText(member)})`).join(" | ");
  return `${schema.type === "array" ? "readonly " : ""}${typeText(schema)}`;
}

function recordText(patternProperties: Record<string, TSchema>): string {
  const [value] = Object.values(patternProperties);
  return `{ [key: string]: ${value === undefined ? "never" : typeText(value)} }`;
}

function objectText(properties: TProperties, direction: Direction): string {
  const lines = Object.entries(properties).map(([key, property]) => {
    const isInput = direction === "input";
    const isOptional = isInput ? isOptionalInput(property) : OptionalKind in property;
    const absent = isInput && isOptional ? " | undefined" : "";
    const { description } = property;
    const above = typeof description === "string" ? comment(description) : "";
    return `${above}${JSON.stringify(key)}${isOptional ? "?" : ""}: ${isInput ? inputText(property) : typeText(property)}${absent};`;
  });
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n}`;
}

function isOptionalInput(property: TSchema): boolean {
  return OptionalKind in property || "default" in property;
}

function comment(text: string): string {
  const inert = text.replaceAll("*/", "* /");
  return inert.includes("\n") ? `/**\n${inert.replace(/^/gm, " * ")}\n */\n` : `/** ${inert} */\n`;
}
