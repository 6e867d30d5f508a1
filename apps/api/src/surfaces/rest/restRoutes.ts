import { validationError } from "@dueday/core/errors";
import type { Exchange } from "../../http/exchange";
import type { OpenCall } from "../../http/openCall";
import type { PortalGate } from "../../http/portalGate";
import { readBody } from "../../http/readBody";
import { respondJson, respondReady, respondText } from "../../http/respond";
import type { Route } from "../../http/routes";
import type { RawInput } from "../../operation/checkInput";
import type { ProcessContext } from "../../operation/context";
import { CALENDAR_SUFFIX, hasBody, type Operation } from "../../operation/defineOperation";
import { execute, type Outcome } from "../../operation/execute";
import { MIN_BLOCK_HEADER, readMinBlock } from "../../operation/minBlock";
import { acceptedType } from "./acceptedType";
import { gatherInput } from "./gatherInput";
import { respondCsv } from "./respondCsv";

const BODY_LIMIT = 64 * 1024;

export type RestParts = {
  operations: readonly Operation[];
  context: ProcessContext;
  openCall: OpenCall;
  openPortal: PortalGate;
};

/** The REST surface: one route for each operation, and another for its calendar file where it has one. */
export function restRoutes({ operations, context, openCall, openPortal }: RestParts): Route[] {
  async function answer(operation: Operation, exchange: Exchange): Promise<Response> {
    const body = hasBody(operation.http.method) ? await readBody(exchange) : {};
    const call = operation.chainScoped
      ? openCall(exchange, exchange.chain, minBlockOf(exchange))
      : openCall(exchange, context.service.defaultChain, null);
    if (operation.area === "portal") call.portal = openPortal(exchange);
    const type = acceptedType(exchange.request, typesOf(operation));
    const input = gatherInput(operation, exchange, body);
    const { csvRows, page } = operation;
    const run = (raw: RawInput) => execute(operation, context, call, raw);
    if (csvRows !== undefined && type === "text/csv") return respondCsv(operation, run, input, csvRows);
    if (page !== undefined && type === "text/html") {
      const outcome = await run(withoutSummary(input));
      return respondText(exchange, 200, page(answerIn(outcome), exchange.query), PAGE_HEADERS);
    }
    const outcome = await run(input);
    if ("ready" in outcome) return respondReady(exchange, outcome.ready);
    return respondJson(exchange, operation.status(outcome.value), outcome.value);
  }

  async function answerCalendar(
    operation: Operation,
    calendar: NonNullable<Operation["calendar"]>,
    exchange: Exchange,
  ): Promise<Response> {
    acceptedType(exchange.request, ["text/calendar"]);
    const call = openCall(exchange, exchange.chain, minBlockOf(exchange));
    const outcome = await execute(operation, context, call, withoutSummary(gatherInput(operation, exchange, {})));
    return respondText(exchange, 200, calendar(answerIn(outcome)), {
      "Content-Type": "text/calendar; charset=utf-8",
      "Content-Disposition": 'attachment; filename="dueday.ics"',
    });
  }

  return operations.flatMap((operation) => {
    const { http, bucket, calendar } = operation;
    const route = { ...http, bucket, bodyLimit: BODY_LIMIT, operation };
    const json: Route = { ...route, answer: (exchange) => answer(operation, exchange) };
    if (calendar === undefined) return [json];
    const path = `${http.path}${CALENDAR_SUFFIX}`;
    return [json, { ...route, path, answer: (exchange) => answerCalendar(operation, calendar, exchange) }];
  });
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

/** A page has no script and loads nothing: untrusted text of the chain stays text in it. */
const PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** The input of a page or a calendar, which contain what a summary leaves out. */
function withoutSummary(input: RawInput): RawInput {
  const { detail, ...values } = input.values;
  return detail === "summary" ? { ...input, values } : input;
}

function answerIn(outcome: Outcome): unknown {
  return "ready" in outcome ? JSON.parse(outcome.ready.text) : outcome.value;
}

/** The request's `minBlock`: from the query or, where the query has none, from the header. */
function minBlockOf({ query, request }: Exchange): bigint | null {
  const texts = query.getAll("minBlock");
  if (texts.length > 1) throw validationError("minBlock", "REPEATED", "must be given once");
  const [text] = texts;
  return text === undefined
    ? readMinBlock(request.headers.get(MIN_BLOCK_HEADER), MIN_BLOCK_HEADER)
    : readMinBlock(text);
}
