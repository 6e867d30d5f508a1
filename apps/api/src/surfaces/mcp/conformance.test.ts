import { afterAll, describe, expect, test } from "bun:test";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

const api = await startTestApi({
  database: await createTestDatabase(),
  rpcUrl: "http://127.0.0.1:1",
  contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
});
afterAll(() => api.stop());

/**
 * The specification's own conformance tests for servers. The scenarios that are not here call tools, prompts and resources of a sample
 * server (test_simple_text, test://static-text, ...) or need what this server does not declare: logging, completion, subscriptions,
 * sampling, elicitation and streams (docs/mcp.md has the list).
 */
describe("the conformance suite of the specification passes:", () => {
  const program = Bun.resolveSync("@modelcontextprotocol/conformance/dist/index.js", import.meta.dir);

  test.each(["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"])(
    "%s",
    async (scenario) => {
      const run = Bun.spawn([process.execPath, program, "server", "--url", `${api.url}/mcp`, "--scenario", scenario], {
        stdout: "pipe",
        stderr: "pipe",
      });
      const [output, code] = await Promise.all([new Response(run.stdout).text(), run.exited]);
      const [passed, all] = output.match(/Passed: (\d+)\/(\d+)/)?.slice(1) ?? [];
      expect({ code, passed, ran: Number(all) > 0 }).toEqual({ code: 0, passed: all, ran: true });
    },
  );
});
