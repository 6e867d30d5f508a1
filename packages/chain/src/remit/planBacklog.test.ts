import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { simulatedCalls } from "@dueday/chain/test/simulatedBlocks";
import { startProxy } from "@dueday/chain/test/startProxy";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import type { Plan } from "@dueday/core/remit/plan";
import { large } from "@dueday/devnet/scenarios/large";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { pinBlock } from "../block/pinBlock";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { type PlanAlarm, planBacklog } from "./planBacklog";
import { createRemitStateCache, type RemitStateCache } from "./state/createRemitStateCache";

const NOW = Date.UTC(2026, 2, 20, 12) / 1000;

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet({ scenario: large({ payments: 400, days: 4, maxRemits: 15n }), now: NOW });
});
afterAll(() => devnet.stop());

const clientOf = (url: string) => createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 20_000 });

async function planAt(
  node: string | ChainClient,
  alarms: PlanAlarm[] = [],
  stateCache: RemitStateCache = createRemitStateCache(devnet.contract),
) {
  const client = typeof node === "string" ? clientOf(node) : node;
  return planBacklog(client, {
    contract: devnet.contract,
    from: devnet.keeper.address,
    block: await pinBlock(client),
    stateCache,
    needsModel: () => true,
    onAlarm: (alarm) => alarms.push(alarm),
  });
}

/** A simulation of our own client as if a remit() had been mined before it. */
async function simulateAfterRemit(client: ChainClient, params: unknown): Promise<unknown> {
  const [payload, block] = structuredClone(params) as [{ blockStateCalls: { calls: object[] }[] }, unknown];
  payload.blockStateCalls[0]?.calls.unshift({ from: devnet.keeper.address, to: devnet.contract, data: encodeRemit() });
  // Its form was asked for above.
  const blocks = (await client.rpc("eth_simulateV1", [payload, block])) as { calls: object[] }[];
  blocks[0]?.calls.shift();
  return blocks;
}

function withoutGas({ transactions }: Plan) {
  return transactions.map(({ closesDays, day, payments, failures, callerFees }) => ({
    closesDays,
    day,
    payments,
    failures,
    callerFees,
  }));
}

const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n);

describe("one plan on every node", () => {
  test.each([
    ["eth_call, measured", ["eth_simulateV1"]],
    ["eth_call, measured, private storage too", ["eth_simulateV1", "eth_createAccessList"]],
    ["an estimate", ["eth_simulateV1", "overrides"]],
  ])(
    "without eth_simulateV1 the plan is modelled and marked as such, its gas within 20 % by %s",
    async (_, missing) => {
      const proxy = startProxy(devnet.url, ({ method, params }) =>
        missing.includes(method) || (missing.includes("overrides") && method === "eth_call" && params.length > 2)
          ? { code: -32601, message: "no such method" }
          : null,
      );
      try {
        const [simulated, modelled] = [await planAt(devnet.url), await planAt(proxy.url)];
        expect(simulated).toMatchObject({ source: "simulated", complete: true, end: "caught_up" });
        expect(modelled).toMatchObject({ source: "modelled", complete: true, end: "caught_up" });
        expect(withoutGas(modelled)).toEqual(withoutGas(simulated));
        expect(new Set(modelled.transactions.map(({ gas }) => gas?.source))).toEqual(new Set(["fitted"]));
        for (const [index, { gas }] of modelled.transactions.entries()) {
          const ratio = Number(gas?.used) / Number(simulated.transactions[index]?.gas?.used);
          expect(Math.abs(ratio - 1)).toBeLessThan(0.2);
        }
      } finally {
        await proxy.stop();
      }
    },
  );

  test("beyond the calls that a node simulates the model continues, with gas fitted on the simulated ones", async () => {
    const proxy = startProxy(devnet.url, ({ method, params }) => {
      if (method !== "eth_simulateV1") return null;
      return simulatedCalls(params).length > 6 ? { code: -38026, message: "client limit exceeded" } : null;
    });
    try {
      const [whole, partly] = [await planAt(devnet.url), await planAt(proxy.url)];
      expect(partly).toMatchObject({ source: "modelled", complete: true, end: "caught_up" });
      expect(withoutGas(partly)).toEqual(withoutGas(whole));
      const sources = partly.transactions.map(({ gas }) => gas?.source);
      expect(sources.indexOf("fitted")).toBeGreaterThan(0);
      expect(sources.lastIndexOf("simulated")).toBe(sources.indexOf("fitted") - 1);
      const [exact, fitted] = [whole, partly].map(({ transactions }) =>
        sum(transactions.map(({ gas }) => gas?.used ?? 0n)),
      );
      // Failures come first in a set and cost more: gas fitted on the first calls is above that of the rest.
      expect(Number(fitted) / Number(exact)).toBeGreaterThan(0.9);
      expect(Number(fitted) / Number(exact)).toBeLessThan(1.4);
    } finally {
      await proxy.stop();
    }
  });

  test("where model and chain differ it is an alarm, and the chain's simulation is the plan", async () => {
    const honest = createRemitStateCache(devnet.contract);
    const stateCache: RemitStateCache = {
      forget() {},
      stateOf: () => null,
      read: async (client, parameters) => ({ ...(await honest.read(client, parameters)), maxRemits: 14 }),
    };
    const alarms: PlanAlarm[] = [];
    const plan = await planAt(devnet.url, alarms, stateCache);
    expect(alarms).toMatchObject([{ kind: "model_differs", transaction: 0 }]);
    expect(plan).toMatchObject({ source: "simulated", complete: true, details: null });
    expect(withoutGas(plan)).toEqual(withoutGas(await planAt(devnet.url)));
  });

  test("a simulation from the state after the next block, which is mined meanwhile, is repeated: it makes neither an alarm nor the plan", async () => {
    const client = clientOf(devnet.url);
    let simulations = 0;
    const racing: ChainClient = {
      ...client,
      async rpc(method, params) {
        if (method !== "eth_simulateV1" || ++simulations > 1) return client.rpc(method, params);
        await devnet.client.mine({ blocks: 1 });
        return simulateAfterRemit(client, params);
      },
    };
    const alarms: PlanAlarm[] = [];
    const expected = await planAt(client);
    expect(withoutGas(await planAt(racing, alarms))).toEqual(withoutGas(expected));
    expect(alarms).toEqual([]);
    expect(simulations).toBe(2);
  });

  test("a difference that an older block still shows raises one alarm", async () => {
    const honest = createRemitStateCache(devnet.contract);
    const stateCache: RemitStateCache = {
      ...honest,
      read: async (client, parameters) => {
        const state = await honest.read(client, parameters);
        await devnet.client.mine({ blocks: 1 });
        return { ...state, maxRemits: 14 };
      },
    };
    const alarms: PlanAlarm[] = [];
    await planAt(devnet.url, alarms, stateCache);
    expect(alarms).toMatchObject([{ kind: "model_differs", transaction: 0 }]);
  });

  test("a model that is wrong from the first transaction on that a node does not simulate any more is noticed: it makes no plan", async () => {
    const proxy = startProxy(devnet.url, ({ method, params }) => {
      if (method !== "eth_simulateV1") return null;
      return simulatedCalls(params).length > 6 ? { code: -38026, message: "client limit exceeded" } : null;
    });
    try {
      const partly = await planAt(proxy.url);
      const simulated = partly.transactions.filter(({ gas }) => gas?.source === "simulated");
      const settled = simulated.reduce((total, { payments }) => total + payments, 0);
      const payer = partly.details?.payments[settled]?.subscriber;
      if (payer === undefined) throw new Error("the model has no payment after the simulated ones");
      const honest = createRemitStateCache(devnet.contract);
      const stateCache: RemitStateCache = {
        forget() {},
        stateOf: () => null,
        async read(client, parameters) {
          const state = await honest.read(client, parameters);
          const tokens = [...state.tokens].map(([address, token]) => {
            const holdings = new Map([...token.holdings].filter(([holder]) => holder !== payer));
            return [address, { ...token, holdings }] as const;
          });
          return { ...state, tokens: new Map(tokens) };
        },
      };
      const alarms: PlanAlarm[] = [];
      const plan = await planAt(proxy.url, alarms, stateCache);
      expect(alarms).toMatchObject([{ kind: "model_differs", transaction: simulated.length }]);
      expect(plan).toMatchObject({ source: "simulated", complete: false, transactions: simulated });
    } finally {
      await proxy.stop();
    }
  });

  test("without eth_createAccessList private storage is found by measuring calls, and the model checks the plan", async () => {
    const proxy = startProxy(devnet.url, ({ method }) =>
      method === "eth_createAccessList" ? { code: -32004, message: "unsupported" } : null,
    );
    try {
      const alarms: PlanAlarm[] = [];
      const [plan, direct] = [await planAt(proxy.url, alarms), await planAt(devnet.url)];
      expect({ ...plan.details, takeWorking: null }).toEqual({ ...direct.details, takeWorking: null });
      expect(alarms).toEqual([]);
    } finally {
      await proxy.stop();
    }
  });

  test("a plan that can be neither simulated nor modelled is an error that names what the node lacks", async () => {
    const proxy = startProxy(devnet.url, ({ method, params }) =>
      method === "eth_simulateV1" || method === "eth_createAccessList" || (method === "eth_call" && params.length > 2)
        ? { code: -32004, message: "unsupported" }
        : null,
    );
    try {
      const message = expect.stringMatching(/eth_simulateV1.*eth_createAccessList.*eth_call with state overrides/);
      await expect(planAt(proxy.url)).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE", message });
    } finally {
      await proxy.stop();
    }
  });

  test("a state that can't be read is an alarm too, and the simulation is the plan", async () => {
    const proxy = startProxy(devnet.url, ({ method, params }) =>
      method === "eth_createAccessList" || (method === "eth_call" && params.length > 2)
        ? { code: -32601, message: "no such method" }
        : null,
    );
    try {
      const alarms: PlanAlarm[] = [];
      expect(await planAt(proxy.url, alarms)).toMatchObject({ source: "simulated", complete: true, details: null });
      expect(alarms.map(({ kind }) => kind)).toEqual(["state_unreadable"]);
    } finally {
      await proxy.stop();
    }
  });

  test("on a node without state overrides balances are read one by one, with the same plan", async () => {
    const proxy = startProxy(devnet.url, ({ method, params }) =>
      method === "eth_call" && params.length > 2 ? { code: -32602, message: "too many arguments" } : null,
    );
    try {
      const alarms: PlanAlarm[] = [];
      expect((await planAt(proxy.url, alarms)).details).not.toBeNull();
      expect(alarms).toEqual([]);
    } finally {
      await proxy.stop();
    }
  });

  test("what is planned is what happens, transaction by transaction", async () => {
    const { client, contract, keeper } = devnet;
    const snapshot = await client.snapshot();
    const plan = await planAt(devnet.url);
    for (const { gas } of plan.transactions) {
      const receipt = await send(client, { from: keeper.address, to: contract, data: encodeRemit() });
      expect(gas).toEqual({ used: BigInt(receipt.gasUsed), source: "simulated" });
    }
    expect((await planAt(devnet.url)).transactions).toEqual([]);
    await client.revert({ id: snapshot });
  });
});
