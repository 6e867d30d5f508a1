import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { simulatedCalls } from "@dueday/chain/test/simulatedBlocks";
import { type CountingProxy, startProxy } from "@dueday/chain/test/startProxy";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { testTokenAbi } from "@dueday/devnet/abi/testTokenAbi";
import { fund } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { type Address, encodeFunctionData, getAddress, numberToHex } from "viem";
import { pinBlock } from "../block/pinBlock";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { prepareRemit } from "../prepare/prepareRemit";
import { createSharedReadiness } from "./createSharedReadiness";
import type { PlanAlarm } from "./planBacklog";
import { presentReadiness } from "./presentReadiness";
import { readReadinessFacts } from "./readRemitReadiness";
import { createRemitStateCache } from "./state/createRemitStateCache";

const NOW = Date.UTC(2026, 2, 20, 12) / 1000;
const stranger = (index: number) => getAddress(numberToHex(0x5ca1e_0000 + index, { size: 20 }));
/** Strangers with something that changes what remit() costs or does for them. */
const [HOLDS_FIRST, HOLDS_LAST, HOLDS_ALL, REFUSED] = [
  stranger(1_001),
  stranger(1_002),
  stranger(1_003),
  stranger(1_004),
];

let devnet: Devnet;
let node: CountingProxy;
let client: ChainClient;

beforeAll(async () => {
  devnet = await startDevnet({ scenario: demo, now: NOW });
  node = startProxy(devnet.url);
  client = createChainClient({ chainId: 31337, rpcUrls: [node.url], requestTimeoutMs: 20_000 });
  const { transactions } = (await readReadinessFacts(client, await parametersFor(stranger(0)))).plan;
  const paid = [...new Set(transactions.flatMap(({ callerFees }) => callerFees.map(({ token }) => token)))];
  const [first, last] = [paid[0], paid.at(-1)];
  if (first === undefined || last === undefined || first === last) throw new Error("the demo's plan pays in one token");
  const target = { ...devnet, admin: testAccount(ACCOUNT_INDEX.admin).address };
  await fund(target, first, HOLDS_FIRST, 5n, 0n);
  await fund(target, last, HOLDS_LAST, 5n, 0n);
  for (const token of paid) await fund(target, token, HOLDS_ALL, 5n, 0n);
  const data = encodeFunctionData({ abi: testTokenAbi, functionName: "setBlocked", args: [REFUSED, true] });
  await send(devnet.client, { from: target.admin, to: last, data });
});
beforeEach(async () => {
  await devnet.client.mine({ blocks: 1 });
});
afterAll(async () => {
  await node.stop();
  await devnet.stop();
});

async function parametersFor(from: Address, model: "always" | "where_needed" = "where_needed") {
  const { contract } = devnet;
  const onAlarm = (alarm: PlanAlarm) => {
    throw new Error(`alarm: ${JSON.stringify(alarm)}`);
  };
  return { contract, from, block: await pinBlock(client), stateCache: createRemitStateCache(contract), model, onAlarm };
}

const person = (index: number) => testAccount(index).address;

describe("an answer that shares a plan equals one that was made for the caller alone", () => {
  const callers = (): [string, Address][] => [
    ["a second account without tokens", stranger(1)],
    ["an account that holds the token that is paid first", HOLDS_FIRST],
    ["an account that holds a token that is paid last", HOLDS_LAST],
    ["an account that holds all tokens", HOLDS_ALL],
    ["an account that a token refuses in a later call", REFUSED],
    ["the keeper", person(ACCOUNT_INDEX.keeper)],
    ["a keeper of earlier days", person(ACCOUNT_INDEX.historyKeeper)],
    ["the admin, who receives the system's fee", person(ACCOUNT_INDEX.admin)],
    ...[0, 1, 2, 3].map((each): [string, Address] => [`provider ${each}`, person(ACCOUNT_INDEX.firstProvider + each)]),
    ["a subscriber", person(ACCOUNT_INDEX.firstSubscriber)],
    ["a subscriber whose payment fails", person(ACCOUNT_INDEX.firstSubscriber + 16)],
    ["the contract", devnet.contract],
  ];

  test.each([
    { before: "an account without tokens", first: stranger(0), model: "where_needed" as const },
    {
      before: "an account without tokens, where the model checks each plan",
      first: stranger(0),
      model: "always" as const,
    },
    { before: "a provider", first: person(ACCOUNT_INDEX.firstProvider), model: "where_needed" as const },
  ])("after $before has asked", async ({ first, model }) => {
    const shared = createSharedReadiness();
    await shared.read(client, await parametersFor(first, model));
    for (const [, from] of callers()) {
      const parameters = await parametersFor(from, model);
      const alone = presentReadiness(await readReadinessFacts(client, parameters));
      const { facts, next } = await shared.read(client, parameters);
      const preflight = presentReadiness(facts);
      expect(preflight).toEqual(alone);
      const prepared = {
        operation: "prepare_remit",
        chain: { ...devnet, chainId: 31337, name: "Devnet" },
        ...parameters,
      };
      const answers = [{ preflight, next }, { preflight: alone }].map((each) =>
        prepareRemit(client, { ...prepared, ...each }),
      );
      const [together, byItself] = await Promise.allSettled(answers);
      expect(together).toEqual(byItself);
    }
  });
});

/** remit() calls that the node was asked to simulate. */
function simulatedRemits(): number {
  const asked = node.calls.filter(({ method }) => method === "eth_simulateV1");
  const calls = asked.flatMap(({ params }) => simulatedCalls(params));
  return calls.filter((call) => Object(call).data === encodeRemit()).length;
}

test("at one block, each further caller costs the node one simulated remit() in one request", async () => {
  const shared = createSharedReadiness();
  await shared.read(client, await parametersFor(stranger(0)));
  await shared.read(client, await parametersFor(stranger(1)));
  const callers = await Promise.all(Array.from({ length: 20 }, (_, index) => parametersFor(stranger(index + 2))));
  const [calls, remits] = [node.calls.length, simulatedRemits()];
  const answers = await Promise.all(callers.map((parameters) => shared.read(client, parameters)));
  expect(node.calls.length - calls).toBe(20);
  expect(simulatedRemits() - remits).toBe(20);
  expect(answers.every(({ next, facts }) => next?.gasUsed === facts.plan.transactions[0]?.gas?.used)).toBe(true);
});

test("a plan is not shared with a later block", async () => {
  const shared = createSharedReadiness();
  const before = await shared.read(client, await parametersFor(stranger(0)));
  await send(devnet.client, { from: devnet.keeper.address, to: devnet.contract, data: encodeRemit() });
  const after = await shared.read(client, await parametersFor(stranger(1)));
  expect(after.facts.plan.transactions.length).toBe(before.facts.plan.transactions.length - 1);
});

test("where the first caller's plan can't be read, the next one's is made", async () => {
  const shared = createSharedReadiness();
  const parameters = await parametersFor(stranger(0));
  const away = createChainClient({ chainId: 31337, rpcUrls: ["http://127.0.0.1:9"], requestTimeoutMs: 500 });
  await expect(shared.read(away, parameters)).rejects.toThrow();
  const { facts } = await shared.read(client, { ...parameters, from: stranger(1) });
  expect(facts.plan.end).toBe("caught_up");
});
