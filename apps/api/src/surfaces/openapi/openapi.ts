import { OptionalKind, type TSchema } from "@sinclair/typebox";
import { closeObjects } from "../../operation/compileSchema";
import type { ServiceFacts } from "../../operation/context";
import {
  type Area,
  CALENDAR_SUFFIX,
  hasBody,
  type Operation,
  type Place,
  placeOf,
} from "../../operation/defineOperation";
import { exampleComponents } from "./answerExamples";
import { camelCase } from "./camelCase";
import { createComponents, described, type ToJson } from "./createComponents";
import { answerName, eventsByType, records } from "./documentedSchemas";
import { errorResponseComponents, errorResponses } from "./errorResponses";
import { type Json, plain } from "./plain";
import { securityOf, securitySchemes } from "./security";
import {
  chainIdParameter,
  commonHeaders,
  headers,
  ifNoneMatchParameter,
  lastEventIdParameter,
  minBlockParameter,
  pollingHeaders,
} from "./sharedParts";
import { shareParameters } from "./shareParameters";

/** What each area contains. */
const areas: Readonly<Record<Area, string>> = {
  service: "The service itself, and developer keys",
  events: "What happened: domain events, as a list and as a stream",
  webhooks: "Events sent to a URL of yours, signed",
  protocol: "Settings and tokens of the protocol",
  subscriptions: "Subscriptions, accounts and providers: reads and prepared transactions",
  remit: "What is due, and settling it with remit()",
  transactions: "Transactions after they were broadcast",
  reminders: "The links in reminders by e-mail: they need no session",
  portal: "The developer portal: signing in with a wallet, and the keys and usage of the account that signed in",
};

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
  const examples = exampleComponents(operations, service);
  const document = { service, toJson, examples };
  const own: { [path: string]: { [method: string]: { [key: string]: Json } } } = {};
  for (const operation of operations) {
    const path = operation.http.path.replace(/:(\w+)/g, "{$1}");
    own[path] = {
      ...own[path],
      [operation.http.method.toLowerCase()]: describeOperation(operation, document),
    };
    if (operation.calendar !== undefined)
      own[`${path}${CALENDAR_SUFFIX}`] = { get: describeCalendar(describeOperation(operation, document)) };
  }
  const { paths, parameters } = shareParameters(own);
  const servers = [
    ...(config.publicUrl === null ? [] : [{ url: config.publicUrl, description: "Production: the public address" }]),
    { url: "/", description: "Local: the address that this document came from" },
  ];
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
    servers: servers.map((server) => ({ ...server, "x-internal": false })),
    tags: [...new Set(operations.map(({ area }) => area))].map((name) => ({ name, description: areas[name] })),
    paths,
    components: {
      securitySchemes,
      headers,
      parameters,
      responses: errorResponseComponents(operations),
      examples,
      schemas: components,
    },
  };
}

/** What the description of an operation is made from. */
type Parts = { service: Documented; toJson: ToJson; examples: { [id: string]: Json } };

function describeOperation(operation: Operation, parts: Parts): { [key: string]: Json } {
  const { service, toJson } = parts;
  const { name, http, summary, description } = operation;
  const body = propertiesIn(operation, "body");
  return {
    operationId: camelCase(name),
    ...(operation.toolsets?.length === 0 ? {} : { "x-mcp-tool": name }),
    summary,
    description,
    tags: [operation.area],
    security: securityOf(operation),
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
      ...Object.fromEntries(operation.statuses.map((status) => [String(status), answerOf(operation, parts)])),
      ...(operation.polled
        ? { "304": { description: "Not modified", headers: { ...commonHeaders, ...pollingHeaders } } }
        : {}),
    },
  };
}

/** The same operation under its second path, where the answer is a file. */
function describeCalendar(json: { [key: string]: Json }): { [key: string]: Json } {
  const content = { "text/calendar": { schema: file("text/calendar", "The same as a calendar (RFC 5545)") } };
  const { "x-mcp-tool": _, responses, ...described } = json;
  return {
    ...described,
    operationId: `${described.operationId}Calendar`,
    summary: `${described.summary}: the calendar file`,
    responses: { ...Object(responses), "200": { description: "The calendar", headers: commonHeaders, content } },
  };
}

function answerOf(operation: Operation, { toJson, examples }: Parts): Json {
  const { name, output, polled, streamed, csvRows, page } = operation;
  const id = camelCase(name);
  return {
    description: "The answer",
    headers: { ...commonHeaders, ...(polled ? pollingHeaders : {}) },
    content: {
      "application/json": {
        schema: toJson(output),
        ...(id in examples ? { examples: { demo: { $ref: `#/components/examples/${id}` } } } : {}),
      },
      ...(streamed === undefined ? {} : streamContent(streamed)),
      ...(csvRows === undefined ? {} : csvContent(csvRows)),
      ...(page === undefined ? {} : { "text/html": { schema: file("text/html", "The same as a page for print") } }),
    },
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
  return `. A summary leaves out ${summarized.omits.join(", ")}, and asOf.blockHash, timestampMs, computedAt, confirmedAt and source`;
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

/** An answer in another form than JSON, which is as long as its rows. */
function file(contentMediaType: string, description: string): Json {
  return { type: "string", contentMediaType, description };
}

/** The other form of the answer, for `Accept: text/event-stream`. */
function streamContent({ description, example }: NonNullable<Operation["streamed"]>): { [type: string]: Json } {
  return { "text/event-stream": { schema: file("text/event-stream", description), example } };
}

/** The other form of the answer, for `Accept: text/csv`. */
function csvContent(list: string): { [type: string]: Json } {
  const description = `\`${list}\` as a file (RFC 4180): a header row, then all entries, however many`;
  return { "text/csv": { schema: file("text/csv", description) } };
}
