import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type McpSession, readToolResult } from "./connectMcp";
import type { TestApi } from "./startTestApi";

/** A session of the SDK that knows revision 2026-07-28: pinned to it, or choosing what the server offers. */
export async function connectModernMcp(
  api: Pick<TestApi, "url">,
  { mode, query = "" }: { mode: "pinned" | "auto"; query?: string },
): Promise<Omit<McpSession, "client"> & { client: Client }> {
  const client = new Client(
    { name: "dueday-test", version: "1.0.0" },
    { versionNegotiation: { mode: mode === "auto" ? "auto" : { pin: "2026-07-28" } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp${query}`)));
  return {
    client,
    call: async (name, given = {}) => readToolResult(await client.callTool({ name, arguments: given })),
    close: () => client.close(),
  };
}
