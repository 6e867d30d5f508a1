import { afterAll, expect, test } from "bun:test";
import { HOSTILE_NOW, hostileTokens } from "@dueday/chain/test/hostileTokens";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { startDevnet } from "@dueday/devnet/startDevnet";
import type { KeeperNode } from "@dueday/keeper/node/keeperNode";
import { createKeeperChain } from "@dueday/keeper/run/createKeeperChain";
import { keepChain } from "@dueday/keeper/run/keepChain";
import { openChain } from "@dueday/keeper/run/openChain";
import { createChainClock } from "@dueday/keeper/test/createChainClock";
import { type Lie, startLyingNode } from "@dueday/keeper/test/startLyingNode";
import { encodeFunctionData, type Hex, numberToHex, parseAbi, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";

// A keeper among tokens and nodes that lie, for a day of the chain's time: what it can lose is bounded, and each loss has its true reason.

const DAY_MS = 86_400_000;
const INTERVAL_MS = 3_600_000;
const BASE_FEE = 1_000_000_000n;
const MAX_GAS_PRICE = 50_000_000_000n;
const MAX_LOSS = parseEther("0.004");
const trapAbi = parseAbi([
  "function trap(uint256 condition, uint256 consequence, address keeper)",
  "function arm(bool armed)",
]);

const devnet = await startDevnet({ scenario: hostileTokens("trap"), now: HOSTILE_NOW, gasLimit: 40_000_000n });
const { client, contract, keeper, tokens, url } = devnet;
const trap = tokens[1] ?? contract;
const [, attacker = contract] = await client.request({ method: "eth_accounts" });
await client.setAutomine(false);
// Blocks have one, and simulated blocks do not.
await client.setCoinbase({ address: attacker });
afterAll(() => devnet.stop());

/** Of the scenario's backlog. */
const PAGES = 4;
const NEVER = 0n;
const GAS_HAS_A_PRICE = 1n;
const ARMED = 7n;
const REVERTS = 0n;
const USES_UP_GAS = 1n;
const PAYS_NOTHING = 2n;

type Case = {
  condition: bigint;
  consequence: bigint;
  /** What happens right before and after the keeper's transaction, in the same block. */
  around?: "arms" | "remits";
  lie?: () => Lie;
  minProfitWei?: bigint;
  /** How long the keeper works, of the chain's time. Default: a day. */
  worksForMs?: number;
};

type Expected = {
  /** Of every transaction that was lost. */
  reason?: RegExp;
  /** Whether any is lost. */
  loses: boolean;
};

/** Sends a transaction of the attacker, which is not waited for. */
async function attack(to: Hex, data: Hex): Promise<void> {
  await client.request({
    method: "eth_sendTransaction",
    params: [{ from: attacker, to, data, gas: numberToHex(3_000_000), maxFeePerGas: numberToHex(100n * BASE_FEE) }],
  });
}

const arm = (isArmed: boolean) =>
  attack(trap, encodeFunctionData({ abi: trapAbi, functionName: "arm", args: [isArmed] }));

function surrounded(node: KeeperNode, around: Case["around"]): KeeperNode {
  return {
    ...node,
    async broadcast(signed) {
      if (around === "arms") await arm(true);
      if (around === "remits") for (let page = 0; page < PAGES; page++) await attack(contract, encodeRemit());
      const result = await node.broadcast(signed);
      if (around === "arms") await arm(false);
      return result;
    },
  };
}

/** Lets a keeper work. Returns what it logged, and its transactions on the chain that settled nothing. */
async function keep({ condition, consequence, around, lie, minProfitWei, worksForMs = DAY_MS }: Case) {
  const snapshot = await client.snapshot();
  const liar = lie === undefined ? null : startLyingNode(url, lie());
  const firstBlock = await client.getBlockNumber();
  try {
    await attack(
      trap,
      encodeFunctionData({ abi: trapAbi, functionName: "trap", args: [condition, consequence, keeper.address] }),
    );
    const clock = createChainClock({
      client,
      startsAt: HOSTILE_NOW + 60,
      blockMs: 200,
      beforeBlock: () => client.setNextBlockBaseFeePerGas({ baseFeePerGas: BASE_FEE }),
    });
    await clock.sleep(200);
    const prices = new Map(tokens.map((token) => [token, { kind: "fixed", wei: parseEther("0.01") } as const]));
    const open = await openChain(
      {
        chainId: 31_337,
        rpcUrls: liar === null ? [url] : [liar.url, url],
        contract,
        prices,
        minProfitWei: minProfitWei ?? null,
        maxGasPrice: MAX_GAS_PRICE,
        maxLossWei: MAX_LOSS,
      },
      { api: null, replaceAfterMs: 30_000 },
      keeper.address,
    );
    const lines: string[] = [];
    const incidents = new Set<string>();
    const stop = new AbortController();
    const chain = createKeeperChain(
      { ...open, node: surrounded(open.node, around) },
      {
        account: privateKeyToAccount(keeper.privateKey),
        clock: {
          ...clock,
          async sleep(milliseconds) {
            await clock.sleep(milliseconds);
            if (clock.elapsed() >= worksForMs) stop.abort();
          },
        },
        settings: { replaceAfterMs: 30_000, notify: { gasDays: 1 } },
        report: {
          log: (_, message) => void lines.push(message),
          raise: (incident) => void incidents.add(incident),
          resolve() {},
          announce() {},
          status() {},
        },
      },
    );
    await keepChain(chain, { once: false, intervalMs: INTERVAL_MS, windowMs: 0, signal: stop.signal });
    const { lost, highestPrice } = await readTransactions(firstBlock);
    return { lines, incidents, lost, highestPrice, totals: chain.ledger.totals() };
  } finally {
    liar?.stop();
    await client.revert({ id: snapshot });
  }
}

/** The keeper's transactions after a block. */
async function readTransactions(firstBlock: bigint) {
  const lost: { hash: Hex; costWei: bigint }[] = [];
  let highestPrice = 0n;
  const last = await client.getBlockNumber();
  for (let number = firstBlock + 1n; number <= last; number++) {
    const { transactions } = await client.getBlock({ blockNumber: number });
    for (const hash of transactions) {
      const { from, status, gasUsed, effectiveGasPrice } = await client.getTransactionReceipt({ hash });
      if (from.toLowerCase() !== keeper.address.toLowerCase()) continue;
      if (effectiveGasPrice > highestPrice) highestPrice = effectiveGasPrice;
      if (status === "reverted") lost.push({ hash, costWei: gasUsed * effectiveGasPrice });
    }
  }
  return { lost, highestPrice };
}

async function expectBounded(name: string, given: Case, { loses, reason = /^$/ }: Expected): Promise<void> {
  const { lines, lost, highestPrice, incidents, totals } = await keep(given);
  const lossWei = lost.reduce((sum, { costWei }) => sum + costWei, 0n);
  const reasons = lost.map(({ hash }) => lines.find((line) => line.includes(`transaction ${hash} reverted`)) ?? "none");
  const explained = reasons.filter((line) => reason.test(line)).length;
  console.log(
    `${name}: ${totals.settled} settled, ${lost.length} lost, ${Number(lossWei) / 1e18} ETH; ${[...incidents].join(", ") || "no incident"}`,
  );
  expect(lossWei).toBeLessThanOrEqual(MAX_LOSS);
  expect(highestPrice).toBeLessThanOrEqual(MAX_GAS_PRICE);
  expect(lost.length > 0).toBe(loses);
  expect({ explained, reasons }).toEqual({ explained: lost.length, reasons });
}

const NOBODY = /no remit\(\) of another keeper came before it: it succeeds when it is simulated/;

const traps: [string, Case, Expected][] = [
  ["is honest", { condition: NEVER, consequence: REVERTS }, { loses: false }],
  ["reverts where gas has a price", { condition: GAS_HAS_A_PRICE, consequence: REVERTS }, { loses: false }],
  ["uses up its gas where gas has a price", { condition: GAS_HAS_A_PRICE, consequence: USES_UP_GAS }, { loses: false }],
  [
    "pays no fee where gas has a price",
    { condition: GAS_HAS_A_PRICE, consequence: PAYS_NOTHING, minProfitWei: 0n },
    { loses: false },
  ],
  ["reverts where there is a base fee", { condition: 2n, consequence: REVERTS }, { loses: false }],
  ["reverts where the sender's balance is real", { condition: 3n, consequence: REVERTS }, { loses: false }],
  ["reverts where the hash of the block before is known", { condition: 4n, consequence: REVERTS }, { loses: false }],
  ["reverts in blocks with a coinbase", { condition: 5n, consequence: REVERTS }, { loses: false }],
  ["reverts where a tip is paid", { condition: 6n, consequence: REVERTS }, { loses: false }],
  [
    "reverts while its owner arms it around each transaction",
    { condition: ARMED, consequence: REVERTS, around: "arms" },
    { loses: true, reason: NOBODY },
  ],
  [
    "uses up its gas while its owner arms it around each transaction",
    { condition: ARMED, consequence: USES_UP_GAS, around: "arms" },
    { loses: true, reason: /no remit\(\) of another keeper came before it: it used up its \d+ gas/ },
  ],
  [
    "pays no fee while its owner arms it around each transaction",
    { condition: ARMED, consequence: PAYS_NOTHING, around: "arms", minProfitWei: 0n },
    { loses: false },
  ],
];

test.each(traps)("a token that %s", expectBounded, 300_000);

test("another keeper that is faster with each transaction", async () => {
  const given: Case = { condition: NEVER, consequence: REVERTS, around: "remits" };
  await expectBounded("a rival", given, {
    loses: true,
    reason: new RegExp(`another keeper, ${attacker}, was faster`, "i"),
  });
}, 300_000);

const isBlock = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const times = (quantity: unknown, factor: bigint) => numberToHex(BigInt(String(quantity)) * factor);

const lies: [string, () => Lie, Partial<Case>, Expected][] = [
  [
    "asks for a thousand times the fee",
    () => ({
      answer(method, result) {
        if (method === "eth_maxPriorityFeePerGas") return times(result, 1_000n);
        if (!method.startsWith("eth_getBlockBy") || !isBlock(result)) return result;
        return { ...result, baseFeePerGas: times(result.baseFeePerGas, 1_000n) };
      },
    }),
    // It looks at the price again each minute.
    { worksForMs: DAY_MS / 12 },
    { loses: false },
  ],
  [
    "counts more transactions with each answer",
    () => {
      let more = 0n;
      return {
        answer(method, result) {
          if (method !== "eth_getTransactionCount") return result;
          more += 1n;
          return numberToHex(BigInt(String(result)) + more / 40n);
        },
      };
    },
    {},
    { loses: false },
  ],
  [
    "has every transaction revert",
    () => ({
      answer: (method, result) =>
        method === "eth_getTransactionReceipt" && isBlock(result) ? { ...result, status: "0x0", logs: [] } : result,
    }),
    {},
    { loses: false },
  ],
  [
    "never has a receipt",
    () => ({ answer: (method, result) => (method === "eth_getTransactionReceipt" ? null : result) }),
    {},
    { loses: false },
  ],
  [
    "is of another chain from the first transaction on",
    () => {
      let isOther = false;
      return {
        ask({ method }) {
          isOther ||= method === "eth_sendRawTransaction";
        },
        answer: (method, result) => (isOther && method === "eth_chainId" ? "0x1" : result),
      };
    },
    {},
    { loses: false },
  ],
  [
    "simulates without the price of gas",
    () => ({
      ask({ method, params: [first] = [] }) {
        if (!isBlock(first)) return;
        if (method === "eth_estimateGas" || method === "eth_call") deletePrice(first);
        if (method !== "eth_simulateV1" || !Array.isArray(first.blockStateCalls)) return;
        first.validation = false;
        for (const { calls } of first.blockStateCalls) for (const call of calls) deletePrice(call);
      },
    }),
    { condition: GAS_HAS_A_PRICE, consequence: REVERTS },
    { loses: true, reason: NOBODY },
  ],
];

function deletePrice(call: Record<string, unknown>): void {
  delete call.maxFeePerGas;
  delete call.maxPriorityFeePerGas;
}

test.each(lies)(
  "a node that %s",
  (name, lie, given, expected) =>
    expectBounded(name, { condition: NEVER, consequence: REVERTS, lie, ...given }, expected),
  300_000,
);
