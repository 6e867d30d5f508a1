import { validationError } from "@dueday/core/errors";
import { callerOf, type Exchange } from "../../http/exchange";
import { readBody } from "../../http/readBody";
import { respondJson, respondReady } from "../../http/respond";
import type { Route } from "../../http/routes";
import type { PortalGate } from "../../identity/portal/portalGate";
import type { Context, ProcessContext } from "../../operation/context";
import { hasBody, type Operation } from "../../operation/defineOperation";
import { execute, type Outcome } from "../../operation/execute";
import { MIN_BLOCK_HEADER, readMinBlock } from "../../operation/minBlock";
import { acceptedType } from "./acceptedType";
import { gatherInput } from "./gatherInput";
import { respondCsv } from "./respondCsv";

const BODY_LIMIT = 64 * 1024;

/** The REST surface: one route for each operation. */
export function restRoutes(operations: readonly Operation[], context: ProcessContext, openPortal: PortalGate): Route[] {
  return operations.map((operation) => ({
    ...operation.http,
    bucket: operation.bucket,
    bodyLimit: BODY_LIMIT,
    operation,
    answer: (exchange) => {
      if (operation.area !== "portal") return answer(operation, context, exchange);
      return answer(operation, { ...context, portal: openPortal(exchange) }, exchange);
    },
  }));
}

type RestContext = ProcessContext & Pick<Context, "portal">;

function answer(operation: Operation, context: RestContext, exchange: Exchange): Response | Promise<Response> {
  if (!hasBody(operation.http.method)) return answerWith({}, operation, context, exchange);
  return readBody(exchange).then((body) => answerWith(body, operation, context, exchange));
}

function answerWith(
  body: Readonly<Record<string, unknown>>,
  operation: Operation,
  process: RestContext,
  exchange: Exchange,
): Response | Promise<Response> {
  const { request, requestId, chain } = exchange;
  const { lane, client, subject, hasOwnLimits = false } = callerOf(exchange);
  const minBlock = operation.chainScoped ? minBlockOf(exchange) : null;
  const call = {
    ...process,
    chain,
    requestId,
    lane,
    client,
    subject,
    hasOwnLimits,
    minBlock,
    taken: exchange,
    signal: () => request.signal,
  };
  const type = acceptedType(request, typesOf(operation));
  const input = gatherInput(operation, exchange, body);
  const { csvRows, page } = operation;
  if (csvRows !== undefined && type === "text/csv") return respondCsv(operation, call, input, csvRows);
  const outcome = execute(operation, call, input);
  if (page !== undefined && type === "text/html") return respondPage(page, outcome);
  return outcome instanceof Promise
    ? outcome.then((each) => respond(operation, exchange, each))
    : respond(operation, exchange, outcome);
}

type AnswerType = "application/json" | "text/csv" | "text/html";

const JSON_ALONE: readonly [AnswerType] = ["application/json"];

/** The types that an operation's answer has. */
function typesOf({ csvRows, page }: Operation): readonly [AnswerType, ...AnswerType[]] {
  if (csvRows === undefined && page === undefined) return JSON_ALONE;
  return [
    "application/json",
    ...(csvRows === undefined ? [] : (["text/csv"] as const)),
    ...(page === undefined ? [] : (["text/html"] as const)),
  ];
}

/** The page has no script and loads nothing: what strangers wrote on the chain is text in it. */
async function respondPage(
  page: NonNullable<Operation["page"]>,
  answered: Outcome | Promise<Outcome>,
): Promise<Response> {
  const outcome = await answered;
  const answer: unknown = "ready" in outcome ? JSON.parse(outcome.ready.text) : outcome.value;
  return new Response(page(answer), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy":
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    },
  });
}

function respond(operation: Operation, exchange: Exchange, outcome: Outcome): Response {
  if ("ready" in outcome) return respondReady(exchange, outcome.ready);
  return respondJson(exchange, operation.status(outcome.value), outcome.value);
}

/** From the query or, where that has none, from the header. */
function minBlockOf({ query, request }: Exchange): bigint | null {
  const texts = query.getAll("minBlock");
  if (texts.length > 1) throw validationError("minBlock", "REPEATED", "must be given once");
  const [text] = texts;
  return text === undefined
    ? readMinBlock(request.headers.get(MIN_BLOCK_HEADER), MIN_BLOCK_HEADER)
    : readMinBlock(text);
}
