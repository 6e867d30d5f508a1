import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Exchange } from "../../http/exchange";
import { errorEnvelope } from "../../http/respond";
import type { Service } from "../../http/service";
import type { Caller } from "../../identity/caller";
import { execute, toServiceError } from "../../operation/execute";
import { selectChain } from "./selectChain";
import type { Tool } from "./tool";

/** Whose call it is, and the HTTP request that it came in. */
export type ToolCaller = { service: Service; exchange: Exchange; caller: Caller };

/**
 * Runs a tool as REST runs its operation. An error is a result, too: its text is the error envelope, for the agent to act on.
 * Structured content is left away from it, since clients hold that against the schema of a good answer.
 */
export async function callTool(
  { service, exchange, caller: { lane, client } }: ToolCaller,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const { requestId, request } = exchange;
  // Then its line in the log tells of this call; that of a batch tells of none.
  const isOnlyCall = exchange.operation === tool.name;
  try {
    const { chainId, ...others } = given;
    const chain = tool.chainScoped ? selectChain(service, chainId) : service.defaultChain;
    const values = tool.chainScoped ? others : { ...given };
    const context = { ...service.context, chain, requestId, lane, client, signal: request.signal };
    if (tool.chainScoped && isOnlyCall) exchange.chainId = chain.config.chainId;
    const outcome = await execute(tool, context, { values, issues: [] });
    const text = "ready" in outcome ? outcome.ready.text : JSON.stringify(outcome.value);
    return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) };
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (isOnlyCall) exchange.error = error;
    if (error.status >= 500) {
      const { code, details } = error;
      service.logger.error({ requestId, operation: tool.name, code, ...details }, "tool call");
    }
    return { content: [{ type: "text", text: JSON.stringify(errorEnvelope(requestId, error)) }], isError: true };
  }
}
