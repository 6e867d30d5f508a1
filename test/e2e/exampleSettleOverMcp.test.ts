import { afterAll, expect, test } from "bun:test";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { startProcess } from "./startProcess";

const { api, devnet, stop } = await startDemoApi();
afterAll(stop);

test("the example settles one page of the backlog over MCP, and prints both sides of it", async () => {
  const args = ["--api", api.url, "--rpc", devnet.url, "--contract", devnet.contract];
  const env = { KEEPER_PRIVATE_KEY: devnet.keeper.privateKey };
  const example = await startProcess("examples/settleOverMcp.ts", { args, env });
  try {
    expect(await example.exited()).toBe(0);
    const output = await example.output();
    for (const step of ["initialize", "tools/list", "get_remit_readiness", "prepare_remit", "get_transaction_status"])
      expect(output).toContain(step);
    expect(output).toContain('status: "success"');
    expect(output).toContain('code: "VALIDATION_ERROR"');
  } finally {
    await example.dispose();
  }
});
