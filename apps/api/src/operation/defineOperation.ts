import type { ErrorCode } from "@dueday/core/errors";
import { Kind, type Static, type TObject, type TProperties, type TSchema } from "@sinclair/typebox";
import type { SnapshotView } from "../snapshots/snapshotView";
import type { Context, OperationFacts, ServiceFacts } from "./context";
import { hasProperty, type Summarized } from "./summarize";

/** Sets of MCP tools that a client selects with `?toolsets=`. `forms` contains the object forms of tools that other sets contain by id. */
export const toolsets = ["read", "history", "subscriber", "provider", "keeper", "forms"] as const;
export type Toolset = (typeof toolsets)[number];

/**
 * Selects the limits that one call of an operation takes from. `unlimited` is counted and never refused; `rejected` is for requests whose
 * chainId or credentials are not accepted, and has no limit for a minute; `cheap` is the global minute; `expensive` and `history` add
 * further limits to that of `cheap`; `write` has its own minute and day.
 *
 * A read of one record or of a snapshot is `cheap`; a search, a list, or a plan that is computed for the request is `expensive`; the four
 * reads that count in `subgraphDaily` are `history`; what simulates, or changes a kept permit, is `write`. Webhooks, the portal, and the lists
 * of events, names, kept permits and coming charges are `cheap`.
 */
export type Bucket = "unlimited" | "rejected" | "cheap" | "expensive" | "history" | "write";

/** The part of the service that an operation belongs to: a tag in OpenAPI. */
export type Area =
  | "service"
  | "protocol"
  | "subscriptions"
  | "remit"
  | "transactions"
  | "events"
  | "webhooks"
  | "portal"
  | "reminders";

/**
 * The end of the path of an operation's calendar. It has its own path because programs that subscribe to a calendar send no type.
 */
export const CALENDAR_SUFFIX = ".ics";

/** Hints for an agent, with MCP's names. The service never signs or broadcasts, so only operations that change what is stored are not read-only. */
export type Annotations = {
  readOnlyHint: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  /** The answer depends on the chain, not on this service alone. */
  openWorldHint?: boolean;
};

export type OperationDefinition<N extends string, I extends TProperties, O extends TSchema> = {
  /** snake_case: the name of the MCP tool, and in camelCase the operationId of OpenAPI. */
  name: N;
  http: OperationFacts["http"];
  /** One line: the catalog's description. */
  summary: string;
  description: string;
  /** The tool's description over MCP: its purpose, and when to use which of two similar tools. No words of HTTP. Default: `summary`. */
  forAgents?: string;
  /** Another tool with the same answer, whose output schema MCP does not repeat. `forAgents` names it. */
  answersLike?: string;
  /** Whether the answer is about one chain. Then the gate resolves `?chainId=` into `context.chain`; `input` does not have it. */
  chainScoped: boolean;
  bucket: Bucket;
  /** Present where MCP counts it in another bucket. */
  mcpBucket?: Bucket;
  area: Area;
  /** The sets of MCP tools that contain it; an empty list keeps it out of MCP. Default: `history` for that bucket, else `read`. */
  toolsets?: readonly Toolset[];
  annotations: Annotations;
  /** Its own error codes, besides those of every operation. */
  errors: readonly ErrorCode[];
  /** Flat, path parameters included. Each property declares its place in HTTP: `inPath`, `inQuery` or `inBody`. */
  input: TObject<I>;
  output: O;
  /** A valid input, for the documents and the parity tests. */
  example: Partial<Static<TObject<I>>>;
  /** Its answer to `Accept: text/event-stream`, for the documents; the event surface makes the stream. */
  streamed?: { description: string; example: string };
  /** An example answer for the documents that follows from the settings of the service, in place of a recorded one. */
  exampleAnswer?(service: DocumentedFacts): Static<O>;
  /** HTTP statuses that an answer can have. Default: only 200. */
  statuses?: readonly number[];
  /** The status of an answer. Default: the first of `statuses`. */
  status?(output: Static<O>): number;
  /** Present where an answer can be longer than 4 KB: what `detail: "summary"` leaves out. Its input then has `detail`. */
  summarized?: Summarized;
  /** The list of its answer that REST also writes as CSV. Where it has pages, the input has `after` and the answer `nextAfter`. */
  csvRows?: string;
  /** Its full answer as a page of HTML for print, for REST; `query` is that of the request, for links to other pages. */
  page?(answer: Static<O>, query: URLSearchParams): string;
  /** Its answer as a calendar (RFC 5545), which REST has under the path with `.ics` at its end. */
  calendar?(answer: Static<O>): string;
  /** Milliseconds that the handler may run. Default 15,000. */
  deadlineMs?: number;
  /**
   * The snapshot view that answers this input; null where the handler has to answer. Runs on every polled read, so it must be cheap and
   * free of I/O.
   */
  snapshot?(context: SnapshotContext, input: Static<TObject<I>>): SnapshotView | null;
  /** Computes the answer. Only `execute` calls it, with a checked input. */
  handler(context: Context, input: Static<TObject<I>>): Promise<Static<O>>;
};

/** The part of a context that `snapshot` may use: all of it is in memory. */
export type SnapshotContext = Pick<Context, "service" | "chain">;

/** The facts that example answers are made from: those that are known before the process serves. */
export type DocumentedFacts = Pick<ServiceFacts, "version" | "config" | "operations">;

/** An operation without the types of its input and output, for surfaces that handle all operations alike. */
export type Operation = Omit<OperationDefinition<string, TProperties, TSchema>, "input" | "example" | Behaviour> & {
  input: InputSchema;
  statuses: readonly number[];
  example: Readonly<Record<string, unknown>>;
  /** Whether it is answered from snapshots, with an ETag for polling. */
  polled: boolean;
  status(output: unknown): number;
  snapshot(context: SnapshotContext, input: CheckedInput): SnapshotView | null;
  handler(context: Context, input: CheckedInput): Promise<unknown>;
};

/** An operation with the types of its name, input and output. */
export type Defined<N extends string, I extends TProperties, O extends TSchema> = Omit<
  Operation,
  "name" | "input" | "output"
> & { name: N; input: TObject<I>; output: O };

/** The part of an operation that `execute` needs; an MCP tool without a path has it too. */
export type Runnable = Pick<
  Operation,
  "name" | "annotations" | "input" | "output" | "summarized" | "deadlineMs" | "snapshot" | "handler"
>;

/** A TObject with any properties. */
export type InputSchema = TSchema & { properties: TProperties };

type Behaviour = "snapshot" | "handler" | "status" | "statuses";

declare const checked: unique symbol;
/** Values that fit the input schema of an operation. Only `checkInput` returns one. */
export type CheckedInput = Readonly<Record<string, unknown>> & { [checked]: true };

export type Place = "path" | "query" | "body";

/** Declares a property of the path, e.g. `:id`. */
export const inPath = <T extends TSchema>(schema: T): T => ({ ...schema, in: "path" });
/** Declares a property of the query string: a string, integer or boolean, or a list of strings whose name may be repeated. */
export const inQuery = <T extends TSchema>(schema: T): T => ({ ...schema, in: "query" });
/** Declares a property of the JSON body. */
export const inBody = <T extends TSchema>(schema: T): T => ({ ...schema, in: "body" });

/**
 * Defines one thing that the service can do. REST routes, MCP tools, the OpenAPI document and the catalog are made from it.
 *
 * @throws Error when the definition contradicts itself; it is thrown when the process starts.
 */
export function defineOperation<const N extends string, I extends TProperties, O extends TSchema>(
  definition: OperationDefinition<N, I, O>,
): Defined<N, I, O> {
  checkDefinition(definition.name, definition.http, definition.input);
  checkSummarized(definition.name, definition);
  const { snapshot, handler, status, statuses = [200] } = definition;
  // checkInput has checked it against `definition.input`, so it is Static<TObject<I>>; the compiler can't know.
  const typed = (input: CheckedInput) => input as unknown as Static<TObject<I>>;
  return {
    ...definition,
    statuses,
    polled: snapshot !== undefined && definition.http.method === "GET",
    // Only outputs of this operation's own handler are passed.
    status: (output) => status?.(output as Static<O>) ?? statuses[0] ?? 200,
    snapshot: (context, input) => snapshot?.(context, typed(input)) ?? null,
    handler: (context, input) => handler(context, typed(input)),
  };
}

function checkDefinition(name: string, http: Operation["http"], input: InputSchema): void {
  const fail = (fault: string): never => {
    throw new Error(`operation ${name}: ${fault}`);
  };
  if (!/^[a-z]+(_[a-z]+)*$/.test(name)) fail("its name is not snake_case");
  if ("chainId" in input.properties) fail("chainId is not an input: set chainScoped");
  const named = [...http.path.matchAll(/:(\w+)/g)].map((match) => match[1]);
  for (const [key, schema] of Object.entries(input.properties)) {
    const place = placeOf(schema);
    if (place === null) fail(`${key} has no place: wrap it in inPath, inQuery or inBody`);
    if (place === "body" && !hasBody(http.method)) fail(`${key} is in the body, and ${http.method} has none`);
    if (place === "query" && !isQueryKind(schema)) fail(`${key} can't be in a query`);
    if ((place === "path") !== named.includes(key))
      fail(`${key} must be inPath exactly if the path ${http.path} names it`);
  }
  for (const key of named) if (key === undefined || !(key in input.properties)) fail(`:${key} is not in its input`);
}

/** Checks the paths of a summary: where a property was renamed, its old path would leave nothing out. */
function checkSummarized(
  name: string,
  { summarized, input, output }: Pick<Operation, "summarized" | "input" | "output">,
) {
  if ((summarized !== undefined) !== "detail" in input.properties)
    throw new Error(`operation ${name}: its input must have detail exactly if it declares summarized`);
  for (const path of Object.values(summarized ?? {}).flat())
    if (!hasProperty(output, path)) throw new Error(`operation ${name}: its output has no ${path} to summarize`);
}

/** Whether a query string can carry a value of this schema: one value, one of some texts, or a list of strings under a repeated name. */
function isQueryKind(schema: TSchema): boolean {
  const { [Kind]: kind, items, anyOf } = schema;
  if (kind === "Union") return anyOf.every(({ type }: TSchema) => type === "string");
  if (kind === "Literal") return schema.type === "string";
  return ["String", "Integer", "Boolean"].includes(kind) || (kind === "Array" && items[Kind] === "String");
}

/** Whether requests of this method carry a JSON body. */
export function hasBody(method: Operation["http"]["method"]): boolean {
  return method === "POST" || method === "PUT" || method === "PATCH";
}

/** The declared place of an input's property; null where none is declared. */
export function placeOf(schema: TSchema): Place | null {
  const place: unknown = schema.in;
  return place === "path" || place === "query" || place === "body" ? place : null;
}
