import type { CallToolResult } from "@modelcontextprotocol/server";
import { errorEnvelope } from "../../answers/errorEnvelope";
import { toServiceError } from "../../answers/toServiceError";
import type { Exchange } from "../../http/exchange";
import type { OpenCall } from "../../http/openCall";
import type { ProcessContext } from "../../operation/context";
import { execute } from "../../operation/execute";
import { readMinBlock } from "../../operation/minBlock";
import { agentDefaults } from "./agentDefaults";
import { selectChain } from "./selectChain";
import type { Tool } from "./tool";

/** The HTTP request that tool calls came in, and the process's part of their context. */
export type ToolCaller = { context: ProcessContext; openCall: OpenCall; exchange: Exchange };

/**
 * Runs a tool as REST runs its operation. An error is a result too: its text is the error envelope, for the agent to act on. It has
 * no structured content, because clients validate that against the schema of a successful answer.
 */
export async function callTool(
  caller: ToolCaller,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const { context, exchange } = caller;
  const { requestId } = exchange;
  try {
    const text = await answerTool(caller, tool, given);
    return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) };
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (isOnlyCall(exchange, tool)) exchange.error = error;
    if (error.status >= 500) {
      const { code, details } = error;
      context.logger.error({ ...details, requestId, operation: tool.name, code }, "tool call");
    }
    return { content: [{ type: "text", text: JSON.stringify(errorEnvelope(requestId, error)) }], isError: true };
  }
}

/** Whether the log line of the request describes this call. The line of a batch describes none of its calls. */
function isOnlyCall(exchange: Exchange, tool: Tool): boolean {
  return exchange.operation === tool.name;
}

/**
 * The answer of a tool as JSON text.
 *
 * @throws ServiceError as the operation
 */
export async function answerTool(
  { context, openCall, exchange }: ToolCaller,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { chainId, minBlock, ...others } = given;
  const chain = tool.chainScoped ? selectChain(context.service, chainId) : context.service.defaultChain;
  const values = { ...agentDefaults(tool), ...withoutOldNames(tool, tool.chainScoped ? others : given) };
  const call = openCall(exchange, chain, tool.chainScoped ? readMinBlock(minBlock) : null);
  if (tool.chainScoped && isOnlyCall(exchange, tool)) exchange.chainId = chain.config.chainId;
  const outcome = await execute(tool, context, call, { values, issues: [] });
  return "ready" in outcome ? outcome.ready.text : JSON.stringify(outcome.value);
}

/** Until 2026-11 an account was `address` in some tools: agents that were written then go on working. */
function withoutOldNames({ input }: Tool, given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { address, ...others } = given;
  const isOld = address !== undefined && "account" in input.properties && !("address" in input.properties);
  return isOld && others.account === undefined ? { ...others, account: address } : given;
}
