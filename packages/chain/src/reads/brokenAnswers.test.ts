import { afterAll, beforeAll, expect, test } from "bun:test";
import { MULTICALL } from "@dueday/chain/test/deployMulticall";
import { dueParameters } from "@dueday/chain/test/dueParameters";
import { type NodeCall, startSpoiledNode } from "@dueday/chain/test/startSpoiledNode";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { toFunctionSelector, zeroAddress } from "viem";
import { readHead } from "../block/readHead";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { readDueDays } from "../due/readDueDays";
import { estimateRollupFees } from "../fees/estimateRollupFees";
import { createRemitStateCache } from "../remit/state/createRemitStateCache";

// An answer that is broken is not one that there is nothing.

const NOW = Date.UTC(2026, 2, 20, 12) / 1000;
const TODAY = dayNumber(NOW);
/** Of the L1 fees of rollups. */
const ORACLE = "0x420000000000000000000000000000000000000F";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet({ scenario: missedPayments, now: NOW });
});
afterAll(() => devnet.stop());

/** What `read` gives at a node that answers as `spoil` returns, and else as it should. */
async function readSpoiled<T>(
  spoil: Parameters<typeof startSpoiledNode>[1],
  read: (client: ChainClient) => Promise<T>,
): Promise<T> {
  const node = startSpoiledNode(devnet.url, spoil);
  try {
    const rpcUrls = [node.open(null).url];
    return await read(createChainClient({ chainId: 31337, rpcUrls, requestTimeoutMs: 20_000 }));
  } finally {
    await node.stop();
  }
}

const calls = ({ method, params: [call] }: NodeCall, to: string, selector = "0x") =>
  method === "eth_call" && Object(call).to === to && String(Object(call).data).startsWith(selector);

/** A word where a list should be. */
const short = { result: `0x${"00".repeat(31)}20` };
const readDay = async (client: ChainClient) => {
  const { contract } = devnet;
  const block = await readHead(client);
  return readDueDays(client, { ...dueParameters(contract), contract, days: [TODAY], block });
};

test.each(["getSubscribersById", "getIdByTime", "idSubMap"])(
  "a due list is refused where the answer of %s is broken",
  async (name) => {
    const view = protocolAbi.find((item) => "name" in item && item.name === name);
    if (view?.type !== "function") throw new Error(`the ABI of the protocol has no view ${name}`);
    const selector = toFunctionSelector(view);
    const spoiled = readSpoiled((call) => {
      // A node that takes no overrides, so that each view is a call.
      if (calls(call, MULTICALL)) return { error: { code: -32602, message: "too many arguments" } };
      return calls(call, devnet.contract, selector) ? short : null;
    }, readDay);
    await expect(spoiled).rejects.toMatchObject({ code: "UPSTREAM_ERROR", details: { read: name } });
  },
);

test("the private state is refused, for now, where the node fails to list the slots of a setter", async () => {
  const trouble = { error: { code: -32000, message: "backend trouble, try again" } };
  const isOfSetter = ({ method, params: [call] }: NodeCall) =>
    method === "eth_createAccessList" && Object(call).to !== zeroAddress;
  const spoiled = readSpoiled(
    (call) => (isOfSetter(call) ? trouble : null),
    async (client) => {
      const block = await readHead(client);
      return createRemitStateCache(devnet.contract).read(client, { block, caller: devnet.keeper.address });
    },
  );
  await expect(spoiled).rejects.toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
});

test("the state is refused, for now, where the node fails to answer whether there is a Multicall3", async () => {
  const trouble = { error: { code: -32000, message: "backend trouble, try again" } };
  const spoiled = readSpoiled(
    ({ method }) => (method === "eth_getCode" ? trouble : null),
    async (client) => {
      const block = await readHead(client);
      return createRemitStateCache(devnet.contract).read(client, { block, caller: devnet.keeper.address });
    },
  );
  await expect(spoiled).rejects.toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
});

test("the costs of a rollup are refused where its oracle's answer is broken, and not left out", async () => {
  const spoiled = readSpoiled(
    (call) => {
      if (call.method === "eth_getCode") return { result: "0x60" };
      return calls(call, ORACLE) ? { result: "0x1234" } : null;
    },
    async (client) => {
      const transaction = { to: devnet.contract, data: "0x", gas: 100_000n } as const;
      return estimateRollupFees(client, { ...transaction, block: await readHead(client) });
    },
  );
  await expect(spoiled).rejects.toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
});
