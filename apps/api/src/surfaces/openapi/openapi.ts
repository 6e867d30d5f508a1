import { caip2 } from "@dueday/core/chains";
import { DomainEvent } from "@dueday/core/domainEvents/domainEvent";
import { type ErrorCode, errorStatus, Issue, Revert, Warning } from "@dueday/core/errors";
import { EventView } from "@dueday/core/events/eventView";
import { BlockedByView } from "@dueday/core/remit/plan";
import { AsOf, Subscription, TokenAmount } from "@dueday/core/schema";
import {
  AssetChange,
  GasEstimate,
  GasSummary,
  Instruction,
  Simulation,
  UnsignedTransaction,
  WalletCalls,
} from "@dueday/core/schemas/prepareAnswer";
import { OptionalKind, type TSchema, Type } from "@sinclair/typebox";
import { HistoryEntry } from "../../history/presentEvent";
import { isManagementPath } from "../../identity/authenticate";
import { closeObjects } from "../../operation/compileSchema";
import type { ServiceFacts } from "../../operation/context";
import { type Area, hasBody, type Operation, type Place, placeOf } from "../../operation/defineOperation";
import { answerExamples } from "./answerExamples";
import { glossary } from "./glossary";

type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

const ErrorEnvelope = Type.Object({
  error: Type.String({ description: "One sentence a person can act on" }),
  code: Type.Union(
    // The keys of a record of error codes are the error codes.
    (Object.keys(errorStatus) as ErrorCode[]).map((code) => Type.Literal(code)),
    { description: "Stable code for programs; docs/errors.md has a section for each" },
  ),
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
  if (isManagementPath(path)) return [{ adminSecret: [] }, { adminKey: [] }];
  return path.startsWith("/webhooks") ? [{ developerKey: [] }] : [{}, { developerKey: [] }];
}

/** Records that answers are built from. They and every answer are written once, under components, by these names. */
const records: Record<string, TSchema> = {
  AsOf,
  AssetChange,
  BlockedBy: BlockedByView,
  DecodedEvent: EventView,
  DomainEvent,
  Error: ErrorEnvelope,
  GasEstimate,
  GasSummary,
  Instruction,
  Issue,
  Revert,
  Simulation,
  Subscription,
  SubscriptionEvent: HistoryEntry,
  TokenAmount,
  UnsignedTransaction,
  WalletCalls,
  Warning,
};

/** One component for each type of domain event, e.g. PaymentPaidEvent. */
const eventsByType: Record<string, TSchema> = Object.fromEntries(
  DomainEvent.anyOf.map((schema) => [`${pascalCase(schema.properties.type.const)}Event`, schema]),
);

/** `get_remit_plan` -> RemitPlan, `prepare_remit` -> PreparedRemit: the name of an operation's answer. */
function answerName(operation: string): string {
  if (operation in answerNames) return answerNames[operation] ?? "";
  return pascalCase(operation.replace(/^(?:get|check|list|search)_/, "").replace(/^prepare_/, "prepared_"));
}

/** Where the rule above gives a poor name, or one that is taken. */
const answerNames: Readonly<Record<string, string>> = {
  get_root: "Service",
  get_subscription: "SubscriptionAnswer",
  get_subscriptions_due: "DueList",
  get_subscribers: "SubscriberList",
  list_events: "EventList",
  check_remit_readiness: "RemitReadiness",
  check_subscribe_readiness_by_id: "SubscribeReadiness",
  search_subscriptions: "SubscriptionList",
  create_webhook: "CreatedWebhook",
  get_webhook: "Webhook",
  update_webhook: "Webhook",
  delete_webhook: "DeletedWebhook",
  rotate_webhook_secret: "RotatedSecret",
  test_webhook: "WebhookDelivery",
  redeliver_webhook: "WebhookDelivery",
  list_webhooks: "WebhookList",
  list_webhook_deliveries: "WebhookDeliveryList",
  replay_webhook: "WebhookReplay",
};

function pascalCase(text: string): string {
  return text.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** What each area contains. */
const areas: Readonly<Record<Area, string>> = {
  service: "The service itself, and developer keys",
  events: "What happened: domain events, as a list and as a stream",
  webhooks: "Events sent to a URL of yours, signed",
  protocol: "Settings and tokens of the protocol",
  subscriptions: "Subscriptions, accounts and providers: reads and prepared transactions",
  remit: "What is due, and settling it with remit()",
  transactions: "Transactions after they were broadcast",
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
/** Errors of the operations that take minBlock. */
const MIN_BLOCK_ERRORS: readonly ErrorCode[] = ["NOT_INDEXED"];
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

const minBlockParameter = {
  name: "minBlock",
  in: "query",
  required: false,
  description:
    "The answer is true for this block or a later one, so that it has seen a transaction of your own; POST /transactions/status has the " +
    "number as minBlock. Waits up to 5 s, then 503 NOT_INDEXED with Retry-After. The header X-Min-Block does the same.",
  schema: { type: "string", pattern: "^(?:0|[1-9][0-9]{0,14})$" },
};

const ifNoneMatchParameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of an earlier answer: 304 while the content is the same",
  schema: { type: "string" },
};

const lastEventIdParameter = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description:
    "Of a stream: the seq of the last event received. It wins over after; browsers send it when they reconnect",
  schema: { type: "string", pattern: "^(?:0|[1-9][0-9]{0,15})$" },
};

/** Headers of answers: written once, under components. */
const headers = {
  "X-Request-Id": "UUID of the request; the client's own if it sent a UUID",
  "X-Service-Lane": "The lane that was applied: free, developer, or none on a 401",
  "RateLimit-Policy": 'Limit and window in seconds of each bucket that was consulted: "global";q=20;w=60',
  RateLimit: 'Remaining requests of each bucket, and seconds until some are available again: "global";r=17;t=42',
  "Retry-After": "Seconds after which the same request is admitted, or may succeed",
  ETag: "Changes when the content changes or becomes stale; send it as If-None-Match",
  "X-As-Of": "blockNumber;blockHash;blockTimestamp;stale (0 or 1) of the answer, on 200 and 304",
};

function referTo(...names: (keyof typeof headers)[]): { [name: string]: Json } {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const commonHeaders = referTo("X-Request-Id", "X-Service-Lane", "RateLimit-Policy", "RateLimit");
const pollingHeaders = referTo("ETag", "X-As-Of");

type Documented = Pick<ServiceFacts, "version" | "config"> & {
  operations: readonly Operation[];
  /** Inputs that this service's chain can answer, instead of those of the operation's own example. */
  exampleInputs?: ExampleInputs | undefined;
};

/** Values for the inputs of an operation. */
export type ExampleInputs = (operation: Pick<Operation, "name" | "input">) => Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 document, made from the list of operations. */
export function createOpenApi(service: Documented): Json {
  const { version, config, exampleInputs } = service;
  const operations = service.operations.map((operation) => ({
    ...operation,
    example: { ...operation.example, ...(operation.chainScoped ? exampleInputs?.(operation) : {}) },
  }));
  const answers = Object.fromEntries(operations.map(({ name, output }) => [answerName(name), output]));
  const { toJson, components } = createComponents({ ...records, ...eventsByType, ...answers });
  const paths: { [path: string]: { [method: string]: Json } } = {};
  for (const operation of operations) {
    const path = operation.http.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [operation.http.method.toLowerCase()]: describeOperation(operation, service, toJson),
    };
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
      contact: {
        name: "The operator of this service",
        ...(config.publicUrl === null ? {} : { url: config.publicUrl }),
      },
    },
    servers: [...servers, { url: "/" }],
    tags: [...new Set(operations.map(({ area }) => area))].map((name) => ({ name, description: areas[name] })),
    paths,
    components: {
      securitySchemes,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
      ),
      schemas: components,
    },
  };
}

function describeOperation(operation: Operation, service: Documented, toJson: ToJson): Json {
  const { name, http, summary, description } = operation;
  const body = propertiesIn(operation, "body");
  return {
    operationId: camelCase(name),
    ...(operation.toolsets?.length === 0 ? {} : { "x-mcp-tool": name }),
    summary,
    description,
    tags: [operation.area],
    security: securityOf(http.path),
    parameters: [
      ...propertiesIn(operation, "path").map((property) => parameter(operation, property, "path", toJson)),
      ...propertiesIn(operation, "query").map((property) => parameter(operation, property, "query", toJson)),
      ...(operation.chainScoped ? [chainIdParameter(service), minBlockParameter] : []),
      ...(operation.polled ? [ifNoneMatchParameter] : []),
      ...(operation.streamed === undefined ? [] : [lastEventIdParameter]),
    ],
    ...(hasBody(http.method) ? { requestBody: requestBody(operation, body, toJson) } : {}),
    responses: {
      ...errorResponses(operation),
      ...Object.fromEntries(operation.statuses.map((status) => [String(status), answerOf(operation, service, toJson)])),
      ...(operation.polled
        ? { "304": { description: "Not modified", headers: { ...commonHeaders, ...pollingHeaders } } }
        : {}),
    },
  };
}

function answerOf(
  { name, output, polled, streamed, exampleAnswer }: Operation,
  service: Documented,
  toJson: ToJson,
): Json {
  const example = exampleAnswer?.(service) ?? answerExamples[name];
  return {
    description: "The answer",
    headers: { ...commonHeaders, ...(polled ? pollingHeaders : {}) },
    content: { ...jsonContent(toJson(output), example), ...(streamed === undefined ? {} : streamContent(streamed)) },
  };
}

type Property = [key: string, schema: TSchema];

function propertiesIn({ input }: Operation, place: Place): Property[] {
  return Object.entries<TSchema>(input.properties).filter(([, schema]) => placeOf(schema) === place);
}

function isRequired([, schema]: Property): boolean {
  return !(OptionalKind in schema) && schema.default === undefined;
}

function parameter(operation: Operation, [key, schema]: Property, place: Place, toJson: ToJson): Json {
  const example: unknown = Reflect.get(operation.example, key);
  return {
    name: key,
    in: place,
    required: isRequired([key, schema]),
    ...(schema.description === undefined ? {} : { description: `${schema.description}${omissions(operation, key)}` }),
    schema: toJson(schema),
    ...(example === undefined ? {} : { example: plain(example) }),
  };
}

/** What a summary of this operation leaves out, for its parameter `detail`. */
function omissions({ summarized }: Operation, key: string): string {
  if (key !== "detail" || summarized?.omits === undefined) return "";
  return `. A summary leaves out ${summarized.omits.join(", ")}, and asOf.blockHash, computedAt and source`;
}

function requestBody(operation: Operation, properties: Property[], toJson: ToJson): Json {
  const required = properties.filter(isRequired).map(([key]) => key);
  const schema = described({
    type: "object",
    properties: Object.fromEntries(properties.map(([key, property]) => [key, toJson(closeObjects(property))])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  });
  const example = Object.fromEntries(
    properties.flatMap(([key]) => (key in operation.example ? [[key, Reflect.get(operation.example, key)]] : [])),
  );
  return { required: required.length > 0, content: { "application/json": { schema, example: plain(example) } } };
}

function errorResponses(operation: Operation): { [status: string]: Json } {
  const codes = new Set([
    ...COMMON_ERRORS,
    ...(hasBody(operation.http.method) ? BODY_ERRORS : []),
    ...(operation.bucket === "unlimited" ? [] : SWITCH_ERRORS),
    ...(operation.chainScoped ? MIN_BLOCK_ERRORS : []),
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

function jsonContent(schema: Json, example?: unknown): { [type: string]: Json } {
  return { "application/json": { schema, ...(example === undefined ? {} : { example: plain(example) }) } };
}

/** The other form of the answer, for `Accept: text/event-stream`. */
function streamContent({ description, example }: NonNullable<Operation["streamed"]>): { [type: string]: Json } {
  return { "text/event-stream": { schema: { type: "string", description }, example } };
}

/** A schema as JSON, with references to components. */
type ToJson = (schema: unknown) => Json;

/**
 * Makes the components of a document: each named schema once, with references to the others inside it. Two names of one schema
 * become the first.
 */
function createComponents(named: Readonly<Record<string, TSchema>>): {
  toJson: ToJson;
  components: Record<string, Json>;
} {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(named)) {
    const text = JSON.stringify(plain(schema));
    if (!names.has(text)) names.set(text, name);
  }
  const replace = (value: Json, own?: string): Json => {
    if (Array.isArray(value)) return value.map((each) => replace(each));
    if (typeof value !== "object" || value === null) return value;
    const name = names.get(JSON.stringify(value));
    if (name !== undefined && name !== own) return { $ref: `#/components/schemas/${name}` };
    return described(
      Object.fromEntries(Object.entries(value).map(([key, part]) => [key, part === undefined ? null : replace(part)])),
    );
  };
  const components = Object.fromEntries(
    [...names].map(([text, name]) => [name, discriminated(replace(JSON.parse(text), name))]),
  );
  return { toJson: (schema) => replace(plain(schema)), components };
}

/** Properties without a description of their own get that of their name. */
function described(schema: { [key: string]: Json }): Json {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return schema;
  const entries = Object.entries(properties).map(([name, part]) => {
    const description = glossary[name];
    const isPlain = typeof part === "object" && part !== null && !Array.isArray(part) && !("description" in part);
    return [name, isPlain && description !== undefined ? { ...part, description } : part];
  });
  return { ...schema, properties: Object.fromEntries(entries) };
}

/** The union of all domain events is told apart by `type`. */
function discriminated(schema: Json): Json {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema) || !Array.isArray(schema.anyOf))
    return schema;
  const { anyOf, ...others } = schema;
  const isReference = (each: Json) => typeof each === "object" && each !== null && "$ref" in each;
  if (anyOf.length < 2 || !anyOf.every(isReference)) return schema;
  const byName = new Map(Object.entries(eventsByType));
  const mapping = Object.fromEntries(
    anyOf.flatMap((each) => {
      const reference = String(Object(each).$ref);
      const event = byName.get(reference.split("/").at(-1) ?? "");
      return event === undefined ? [] : [[String(event.properties.type.const), reference]];
    }),
  );
  if (Object.keys(mapping).length !== anyOf.length) return schema;
  return { ...others, oneOf: anyOf, discriminator: { propertyName: "type", mapping } };
}

/** A schema without TypeBox's symbols and without the service's own keywords. */
function plain(schema: unknown): Json {
  const own = (key: string, value: unknown) =>
    key === "expects" || key === "notZero" || (key === "in" && isPlace(value)) ? undefined : value;
  return JSON.parse(JSON.stringify(schema, own));
}

function isPlace(value: unknown): boolean {
  return value === "path" || value === "query" || value === "body";
}
