import { expect, test } from "bun:test";
import { parseHeader } from "@dueday/chain/block/parseHeader";
import type { Rpc } from "@dueday/chain/client/createChainClient";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { CONTRACT, StubChain, type StubLog } from "@dueday/worker/test/stubChain";
import { createRangeSize } from "../logs/createRangeSize";
import { createLogReader } from "./createLogReader";

const MOST_LOGS = 5;
const LOG: StubLog = { id: 1, provider: 1, subscriber: 11, amount: 1n, code: 6 };

/** A reader of a node that returns few logs together, and the headers of a chain whose blocks have these numbers of logs. */
function readerOf(logs: readonly number[], fail: () => Error) {
  const chain = new StubChain(1);
  for (const count of logs) chain.mine(Array.from({ length: count }, () => LOG));
  const requests: string[] = [];
  const rpc: Rpc = async (method, params) => {
    requests.push(method);
    // As the reader sends them.
    const answer = chain.answer(method, params as unknown[]);
    if (Array.isArray(answer) && answer.length > MOST_LOGS) throw fail();
    return answer;
  };
  const source = {
    chain: { contract: CONTRACT },
    chainData: { rpc },
    logger: createLogger(parseConfig({ LOG_LEVEL: "silent" })),
  };
  const header = (number: number) =>
    parseHeader(chain.answer("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]));
  return {
    reader: createLogReader(source, createRangeSize({ first: 1_000 })),
    blocks: logs.map((_, index) => header(index + 1)),
    requests,
  };
}

test.each([
  ["the node refuses", () => new RpcRefusal(-32_003, "response too large", undefined)],
  ["this process does not read", () => upstreamError({ kind: "too_large" }, "eth_getLogs")],
])("logs of a stretch that %s together are read in parts, in order and without a gap", async (_, fail) => {
  const counts = [3, 0, 5, 4, 1, 2, 5];
  const { reader, blocks } = readerOf(counts, fail);
  const [head] = blocks.slice(-1);
  if (head === undefined) throw new Error("the test chain has no head");
  const { logs } = await reader.read({ from: 1, head });
  const places = counts.flatMap((count, index) =>
    Array.from({ length: count }, (_each, logIndex) => [index + 1, logIndex]),
  );
  expect(logs.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual(places);
});

test("a node that can't be reached is asked once for a stretch", async () => {
  const { reader, blocks, requests } = readerOf([3, 3, 3], () => upstreamError({ kind: "unreachable" }, "eth_getLogs"));
  const [head] = blocks.slice(-1);
  if (head === undefined) throw new Error("the test chain has no head");
  await expect(reader.read({ from: 1, head })).rejects.toThrow("can't be reached");
  expect(requests).toHaveLength(1);
});
