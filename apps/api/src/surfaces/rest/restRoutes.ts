import { callerOf, type Exchange } from "../../http/exchange";
import { readBody } from "../../http/readBody";
import { respondJson, respondReady } from "../../http/respond";
import type { Route } from "../../http/routes";
import type { ProcessContext } from "../../operation/context";
import type { Operation } from "../../operation/defineOperation";
import { execute } from "../../operation/execute";
import { gatherInput } from "./gatherInput";

const BODY_LIMIT = 64 * 1024;

/** The REST surface: one route for each operation. */
export function restRoutes(operations: readonly Operation[], context: ProcessContext): Route[] {
  return operations.map((operation) => ({
    ...operation.http,
    bucket: operation.bucket,
    bodyLimit: BODY_LIMIT,
    operation,
    answer: (exchange) => answer(operation, context, exchange),
  }));
}

async function answer(operation: Operation, process: ProcessContext, exchange: Exchange): Promise<Response> {
  const { request, requestId, chain } = exchange;
  const { lane, client } = callerOf(exchange);
  const body = operation.http.method === "POST" ? await readBody(exchange) : {};
  const context = {
    ...process,
    ...{ chain, requestId, lane, client },
    // Made only where a handler runs: an answer from memory needs none.
    get signal() {
      return request.signal;
    },
  };
  const outcome = await execute(operation, context, gatherInput(operation, exchange, body));
  if ("ready" in outcome) return respondReady(exchange, outcome.ready);
  return respondJson(exchange, operation.status(outcome.value), outcome.value);
}
