import { afterAll, expect, test } from "bun:test";
import { STUB_CHAIN_ID, startRpcStub } from "@dueday/chain/test/startRpcStub";
import { zeroAddress, zeroHash } from "viem";
import { createChainClient } from "../client/createChainClient";
import { callOnce } from "./callOnce";

const node = startRpcStub({
  answer: ({ method }) => (method === "eth_call" ? { result: "0x" } : { error: { code: -32601, message: "no" } }),
});
afterAll(() => node.stop());

test("a call with long texts succeeds without an estimate on a node that gives none", async () => {
  const client = createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls: [node.url], requestTimeoutMs: 2_000 });
  const block = { number: 1n, hash: zeroHash, timestamp: 1n, baseFeePerGas: 0n, gasLimit: 30_000_000n };
  const data = `0x${"61".repeat(2_000)}` as const;
  const called = await callOnce(client, { from: zeroAddress, to: zeroAddress, data, block });
  expect(called).toMatchObject({ success: true, gasEstimated: false, gasUsed: 0n });
});
