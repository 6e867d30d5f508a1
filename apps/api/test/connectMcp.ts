import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { TestApi } from "./startTestApi";

export type McpOptions = {
  /** E.g. `?toolsets=keeper`. */
  query?: string;
  headers?: Record<string, string>;
};

/** What a tool answered: its structured content, or the error envelope; `bytes` is the size of the whole result. */
export type ToolAnswer = { isError: boolean; body: Record<string, unknown>; text: string; bytes: number };

export type McpSession = {
  client: Client;
  /** Calls a tool; a JSON-RPC error is thrown. */
  call(name: string, given?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
};

/** A session of the SDK's own client, which holds structured content against the schemas of the tools it has listed. */
export async function connectMcp(
  api: Pick<TestApi, "url">,
  { query = "", headers = {} }: McpOptions = {},
): Promise<McpSession> {
  const client = new Client({ name: "dueday-test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`${api.url}/mcp${query}`), { requestInit: { headers } });
  // Its optional fields may be undefined, those of the interface may only be absent.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return {
    client,
    call: async (name, given = {}) => readToolResult(await client.callTool({ name, arguments: given })),
    close: () => client.close(),
  };
}

/** What a result of tools/call holds, of whichever SDK. */
export function readToolResult({ content, structuredContent, isError }: Record<string, unknown>): ToolAnswer {
  const text: string = Object(content)[0].text;
  const body = isError === true ? JSON.parse(text) : Object(structuredContent);
  const bytes = Buffer.byteLength(JSON.stringify({ content, structuredContent, isError }));
  return { isError: isError === true, body, text, bytes };
}

/** A bare POST to /mcp with the headers that a client sends. */
export async function postMcp(
  api: Pick<TestApi, "url">,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${api.url}/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}
