import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { callerOf, type Exchange } from "../../http/exchange";
import { errorEnvelope } from "../../http/respond";
import type { ProcessContext } from "../../operation/context";
import { execute, toServiceError } from "../../operation/execute";
import { selectChain } from "./selectChain";
import type { Tool } from "./tool";

/** The HTTP request that tool calls came in, and the process's part of their context. */
export type ToolCaller = { context: ProcessContext; exchange: Exchange };

/**
 * Runs a tool as REST runs its operation. An error is a result too: its text is the error envelope, for the agent to act on. It has
 * no structured content, because clients validate that against the schema of a successful answer.
 */
export async function callTool(
  { context: process, exchange }: ToolCaller,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const { requestId, request } = exchange;
  const { lane, client } = callerOf(exchange);
  // Then the request's log line describes this call; the line of a batch describes none of its calls.
  const isOnlyCall = exchange.operation === tool.name;
  try {
    const { chainId, ...others } = given;
    const chain = tool.chainScoped ? selectChain(process.service, chainId) : process.service.defaultChain;
    const values = tool.chainScoped ? others : { ...given };
    const context = { ...process, chain, requestId, lane, client, signal: request.signal };
    if (tool.chainScoped && isOnlyCall) exchange.chainId = chain.config.chainId;
    const outcome = await execute(tool, context, { values, issues: [] });
    const text = "ready" in outcome ? outcome.ready.text : JSON.stringify(outcome.value);
    return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) };
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (isOnlyCall) exchange.error = error;
    if (error.status >= 500) {
      const { code, details } = error;
      process.logger.error({ requestId, operation: tool.name, code, ...details }, "tool call");
    }
    return { content: [{ type: "text", text: JSON.stringify(errorEnvelope(requestId, error)) }], isError: true };
  }
}
