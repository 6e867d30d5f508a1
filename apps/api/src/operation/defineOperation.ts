import type { ErrorCode } from "@dueday/core/errors";
import { Kind, type Static, type TObject, type TProperties, type TSchema } from "@sinclair/typebox";
import type { Bucket } from "../limits/policy";
import type { SnapshotView } from "../snapshots/snapshotView";
import type { Context, OperationFacts, ServiceFacts } from "./context";

/** What an agent may choose to take of the tools, with `?toolsets=`. */
export const toolsets = ["read", "history", "subscriber", "provider", "keeper"] as const;
export type Toolset = (typeof toolsets)[number];

/** The part of the service an operation belongs to: a tag in OpenAPI. */
export type Area = "service" | "protocol" | "subscriptions" | "remit" | "transactions";

/** Hints to an agent, as MCP names them. Nothing here ever signs or broadcasts, so every operation is read-only so far. */
export type Annotations = {
  readOnlyHint: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  /** The answer depends on the chain, not on this service alone. */
  openWorldHint?: boolean;
};

export type OperationDefinition<N extends string, I extends TProperties, O extends TSchema> = {
  /** snake_case: the MCP tool and the OpenAPI operationId. */
  name: N;
  http: OperationFacts["http"];
  /** One line: the catalog's description. */
  summary: string;
  description: string;
  /** Whether it speaks of one chain. Then the gate resolves `?chainId=` into `context.chain`; it is no property of `input`. */
  chainScoped: boolean;
  bucket: Bucket;
  /** Where MCP counts it differently. */
  mcpBucket?: Bucket;
  area: Area;
  /** The sets of MCP tools that it belongs to; none keeps it out of MCP. Default: `history` if it counts as that, else `read`. */
  toolsets?: readonly Toolset[];
  annotations: Annotations;
  /** Error codes of its own, beside those that every operation can answer with. */
  errors: readonly ErrorCode[];
  /** Flat, path parameters included. Each property says where it lives in HTTP: `inPath`, `inQuery` or `inBody`. */
  input: TObject<I>;
  output: O;
  /** An input that is valid as it stands, for the documents and the parity tests. */
  example: Partial<Static<TObject<I>>>;
  /** An answer for the documents, of an operation without any input that could be an example. */
  exampleAnswer?(service: DocumentedFacts): Static<O>;
  /** HTTP statuses that an answer can have. Default 200 alone. */
  statuses?: readonly number[];
  /** Which of them an answer has. Default the first. */
  status?(output: Static<O>): number;
  /** Longest run of the handler. Default 15 s. */
  deadlineMs?: number;
  /**
   * The snapshot that answers this input, if one is meant to; null leaves it to the handler. Runs on every polled read: keep it
   * free of I/O and cheap.
   */
  snapshot?(context: SnapshotContext, input: Static<TObject<I>>): SnapshotView | null;
  /** Computes the answer. Called by `execute` alone, with an input that fits. */
  handler(context: Context, input: Static<TObject<I>>): Promise<Static<O>>;
};

/** What is known without waiting for anything. */
export type SnapshotContext = Pick<Context, "service" | "chain">;

/** The facts that an example answer is made from: those that are known before anything runs. */
export type DocumentedFacts = Pick<ServiceFacts, "version" | "config" | "operations">;

/** An operation in a list of many: its input is whatever `execute` has checked. */
export type Operation = Omit<OperationDefinition<string, TProperties, TSchema>, "input" | "example" | Behaviour> & {
  input: InputSchema;
  statuses: readonly number[];
  example: Readonly<Record<string, unknown>>;
  /** Whether it is answered from snapshots, with a tag to poll by. */
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

/** What `execute` needs of an operation. A tool without a path of its own has it, too. */
export type Runnable = Pick<Operation, "name" | "input" | "output" | "deadlineMs" | "snapshot" | "handler">;

/** A TObject, whatever its properties are. */
export type InputSchema = TSchema & { properties: TProperties };

type Behaviour = "snapshot" | "handler" | "status" | "statuses";

declare const checked: unique symbol;
/** Values that fit the input schema of the operation they are given to. Only `checkInput` makes one. */
export type CheckedInput = Record<string, unknown> & { [checked]: true };

export type Place = "path" | "query" | "body";

/** A property of the path, e.g. `:id`. */
export const inPath = <T extends TSchema>(schema: T): T => ({ ...schema, in: "path" });
/** A property of the query string: a string, integer or boolean, or a list of strings, whose name may be repeated. */
export const inQuery = <T extends TSchema>(schema: T): T => ({ ...schema, in: "query" });
/** A property of the JSON body. */
export const inBody = <T extends TSchema>(schema: T): T => ({ ...schema, in: "body" });

/**
 * Defines one thing that the service can do. REST routes, MCP tools, the OpenAPI document and the catalog are made from it.
 *
 * @throws Error when the definition contradicts itself: that is met at start, not by a request.
 */
export function defineOperation<const N extends string, I extends TProperties, O extends TSchema>(
  definition: OperationDefinition<N, I, O>,
): Defined<N, I, O> {
  checkDefinition(definition.name, definition.http, definition.input);
  const { snapshot, handler, status, statuses = [200] } = definition;
  // `CheckedInput` is what checkInput has held against `definition.input`, so it is Static<TObject<I>>; the compiler can't know.
  const typed = (input: CheckedInput) => input as unknown as Static<TObject<I>>;
  return {
    ...definition,
    statuses,
    polled: snapshot !== undefined && definition.http.method === "GET",
    // Only what this operation's own handler returned is asked about.
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
  if ("chainId" in input.properties) fail("chainId belongs to the gate: set chainScoped");
  const named = [...http.path.matchAll(/:(\w+)/g)].map((match) => match[1]);
  for (const [key, schema] of Object.entries(input.properties)) {
    const place = placeOf(schema);
    if (place === null) fail(`${key} does not say where it lives`);
    if (place === "body" && http.method !== "POST") fail(`${key} lives in a body that ${http.method} does not have`);
    if (place === "query" && !isQueryKind(schema)) fail(`${key} can't be a query`);
    if ((place === "path") !== named.includes(key)) fail(`${key} and the path ${http.path} disagree`);
  }
  for (const key of named) if (key === undefined || !(key in input.properties)) fail(`:${key} is not in its input`);
}

/** One value, or a list of texts, each of which comes under the name once more. */
function isQueryKind(schema: TSchema): boolean {
  const { [Kind]: kind, items } = schema;
  return ["String", "Integer", "Boolean"].includes(kind) || (kind === "Array" && items[Kind] === "String");
}

/** Where a property of an input lives; null for a schema that does not say. */
export function placeOf(schema: TSchema): Place | null {
  const place: unknown = schema.in;
  return place === "path" || place === "query" || place === "body" ? place : null;
}
