import { afterAll, expect, test } from "bun:test";
import { type RpcStub, STUB_CHAIN_ID, startRpcStub } from "@dueday/chain/test/startRpcStub";
import { zeroAddress } from "viem";
import { createChainClient } from "../client/createChainClient";
import { hasCode } from "./hasCode";

const stubs: RpcStub[] = [];
afterAll(async () => {
  for (const stub of stubs) await stub.stop();
});

test.each([
  ["none", "0x", false],
  ["a precompiled token's on Base, a single byte", "0xef", true],
  ["a contract's", "0x6000", true],
])("code is found: %s", async (_, code, expected) => {
  const stub = startRpcStub({ answer: () => ({ result: code }) });
  stubs.push(stub);
  const client = createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls: [stub.url], requestTimeoutMs: 5_000 });
  expect(await hasCode(client, zeroAddress)).toBe(expected);
});
