import { caip2 } from "@dueday/core/chains";
import { type ErrorCode, errorStatus, Issue, Revert } from "@dueday/core/errors";
import { AsOf, Subscription, TokenAmount } from "@dueday/core/schema";
import { GasEstimate, GasSummary, Simulation, UnsignedTransaction } from "@dueday/core/schemas/prepareAnswer";
import { DueDay } from "@dueday/core/snapshots/dueDay";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { OptionalKind, type TSchema, Type } from "@sinclair/typebox";
import { isManagementPath } from "../../identity/authenticate";
import { closeObjects } from "../../operation/compileSchema";
import type { ServiceFacts } from "../../operation/context";
import { type Operation, type Place, placeOf } from "../../operation/defineOperation";

type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

const ErrorEnvelope = Type.Object({
  error: Type.String({ description: "One sentence a person can act on" }),
  code: Type.String(),
  requestId: Type.String(),
  issues: Type.Optional(Type.Array(Issue)),
  revert: Type.Optional(Revert),
});

/** The ways to authenticate (interface, Authentication). */
const securitySchemes = {
  developerKey: {
    type: "http",
    scheme: "bearer",
    description: "A developer key, for higher limits. A request without one uses the free lane.",
  },
  adminSecret: { type: "http", scheme: "bearer", description: "The admin secret, for the management of keys" },
  adminKey: { type: "apiKey", in: "header", name: "X-Service-Admin-Key", description: "The admin secret, as a header" },
};

/** The schemes that an operation accepts; `{}` is a request without credentials. */
function securityOf(path: string): { [scheme: string]: [] }[] {
  return isManagementPath(path) ? [{ adminSecret: [] }, { adminKey: [] }] : [{}, { developerKey: [] }];
}

/** Schemas that are used in more than one place: written once, under components. */
const shared: Record<string, TSchema> = {
  AsOf,
  DueDay,
  Error: ErrorEnvelope,
  GasEstimate,
  GasSummary,
  Issue,
  RemitReadiness,
  Revert,
  Simulation,
  Subscription,
  TokenAmount,
  UnsignedTransaction,
};

/** Errors of every operation, besides its own. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  "VALIDATION_ERROR",
  "UNAUTHORIZED",
  "RATE_LIMITED",
  "INTERNAL",
  "UPSTREAM_TIMEOUT",
];
/** Statuses that may have a Retry-After. */
const RETRIED: readonly number[] = [errorStatus.RATE_LIMITED, errorStatus.NOT_INDEXED];
/** Errors of the operations that API_ENABLED switches off. */
const SWITCH_ERRORS: readonly ErrorCode[] = ["API_DISABLED"];
const BODY_ERRORS: readonly ErrorCode[] = ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];

/** The example is a chain of this process, because the docs page sends it as it is. */
function chainIdParameter({ config }: Documented): Json {
  return {
    name: "chainId",
    in: "query",
    required: false,
    description:
      "Chain in decimal or CAIP-2 form (8453, eip155:8453); the default chain without it. See chains[] of the catalog.",
    schema: { type: "string", pattern: "^(?:eip155:)?[1-9][0-9]{0,15}$" },
    example: caip2(config.defaultRestChainId),
  };
}

const ifNoneMatchParameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of an earlier answer: 304 while the content is the same",
  schema: { type: "string" },
};

/** Headers of answers: written once, under components. */
const headers = {
  "X-Request-Id": "UUID of the request; the client's own if it sent a UUID",
  "X-Service-Lane": "The lane that was applied: free, developer, or none on a 401",
  "RateLimit-Policy": 'Limit and window in seconds of each bucket that was consulted: "global";q=20;w=60',
  RateLimit: 'Remaining requests of each bucket, and seconds until some are available again: "global";r=17;t=42',
  "Retry-After": "Seconds after which the same request is admitted, or may succeed",
  Allow: "The methods that the path accepts",
  ETag: "Changes when the content changes or becomes stale; send it as If-None-Match",
  "X-As-Of": "blockNumber;blockHash;blockTimestamp;stale (0 or 1) of the answer, on 200 and 304",
};

function referTo(...names: (keyof typeof headers)[]): { [name: string]: Json } {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const commonHeaders = referTo("X-Request-Id", "X-Service-Lane", "RateLimit-Policy", "RateLimit");
const pollingHeaders = referTo("ETag", "X-As-Of");

type Documented = Pick<ServiceFacts, "version" | "config"> & { operations: readonly Operation[] };

/** The OpenAPI 3.1 document, made from the list of operations. */
export function createOpenApi(service: Documented): Json {
  const { version, config, operations } = service;
  const paths: { [path: string]: { [method: string]: Json } } = {};
  for (const operation of operations) {
    const path = operation.http.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.http.method.toLowerCase()]: describeOperation(operation, service) };
  }
  const servers = config.publicUrl === null ? [] : [{ url: config.publicUrl }];
  return {
    openapi: "3.1.0",
    info: {
      title: "Dueday",
      version,
      description:
        "Reads of an on-chain recurring-payment protocol, and unsigned transactions for it. Nothing here holds keys, signs or " +
        "broadcasts. Every path is also served under /api.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [...servers, { url: "/" }],
    tags: [...new Set(operations.map(({ area }) => area))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
      ),
      schemas: Object.fromEntries(Object.entries(shared).map(([name, schema]) => [name, toJson(schema, name)])),
    },
  };
}

function describeOperation(operation: Operation, service: Documented): Json {
  const { name, http, summary, description } = operation;
  const body = propertiesIn(operation, "body");
  return {
    operationId: name,
    summary,
    description,
    tags: [operation.area],
    security: securityOf(http.path),
    parameters: [
      ...propertiesIn(operation, "path").map((property) => parameter(operation, property, "path")),
      ...propertiesIn(operation, "query").map((property) => parameter(operation, property, "query")),
      ...(operation.chainScoped ? [chainIdParameter(service)] : []),
      ...(operation.polled ? [ifNoneMatchParameter] : []),
    ],
    ...(http.method === "POST" ? { requestBody: requestBody(operation, body) } : {}),
    responses: {
      ...errorResponses(operation),
      ...Object.fromEntries(operation.statuses.map((status) => [String(status), answerOf(operation, service)])),
      ...(operation.polled
        ? { "304": { description: "Not modified", headers: { ...commonHeaders, ...pollingHeaders } } }
        : {}),
    },
  };
}

function answerOf({ output, polled, exampleAnswer }: Operation, service: Documented): Json {
  const example = exampleAnswer?.(service);
  return {
    description: "The answer",
    headers: { ...commonHeaders, ...(polled ? pollingHeaders : {}) },
    content: jsonContent(toJson(output), example),
  };
}

type Property = [key: string, schema: TSchema];

function propertiesIn({ input }: Operation, place: Place): Property[] {
  return Object.entries<TSchema>(input.properties).filter(([, schema]) => placeOf(schema) === place);
}

function isRequired([, schema]: Property): boolean {
  return !(OptionalKind in schema) && schema.default === undefined;
}

function parameter(operation: Operation, [key, schema]: Property, place: Place): Json {
  const example: unknown = Reflect.get(operation.example, key);
  return {
    name: key,
    in: place,
    required: isRequired([key, schema]),
    ...(schema.description === undefined ? {} : { description: schema.description }),
    schema: toJson(schema),
    ...(example === undefined ? {} : { example: toJson(example) }),
  };
}

function requestBody(operation: Operation, properties: Property[]): Json {
  const required = properties.filter(isRequired).map(([key]) => key);
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties.map(([key, property]) => [key, toJson(closeObjects(property))])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
  const example = Object.fromEntries(
    properties.flatMap(([key]) => (key in operation.example ? [[key, Reflect.get(operation.example, key)]] : [])),
  );
  return { required: required.length > 0, content: { "application/json": { schema, example: toJson(example) } } };
}

function errorResponses(operation: Operation): { [status: string]: Json } {
  const codes = new Set([
    ...COMMON_ERRORS,
    ...(operation.http.method === "POST" ? BODY_ERRORS : []),
    ...(operation.bucket === "unlimited" ? [] : SWITCH_ERRORS),
    ...operation.errors,
  ]);
  const byStatus = Map.groupBy(codes, (code) => errorStatus[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: group.join(" or "),
        headers: { ...commonHeaders, ...(RETRIED.includes(status) ? referTo("Retry-After") : {}) },
        content: jsonContent({ $ref: "#/components/schemas/Error" }),
      },
    ]),
  );
}

function jsonContent(schema: Json, example?: unknown): Json {
  return { "application/json": { schema, ...(example === undefined ? {} : { example: toJson(example) }) } };
}

const sharedByText = new Map(Object.entries(shared).map(([name, schema]) => [JSON.stringify(plain(schema)), name]));

/** A schema as JSON, with every shared schema inside it replaced by a reference, except `own`, the one being written. */
function toJson(schema: unknown, own?: string): Json {
  const replace = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== "object" || value === null) return value;
    const name = sharedByText.get(JSON.stringify(value));
    if (name !== undefined && name !== own) return { $ref: `#/components/schemas/${name}` };
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, part === undefined ? null : replace(part)]),
    );
  };
  return replace(plain(schema));
}

/** A schema without TypeBox's symbols and without the service's own keywords. */
function plain(schema: unknown): Json {
  const own = (key: string, value: unknown) =>
    key === "expects" || (key === "in" && isPlace(value)) ? undefined : value;
  return JSON.parse(JSON.stringify(schema, own));
}

function isPlace(value: unknown): boolean {
  return value === "path" || value === "query" || value === "body";
}
