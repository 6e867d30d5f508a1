import { afterAll, beforeAll, expect, test } from "bun:test";
import { arbitraryHistory, beginning, playHistory } from "@dueday/chain/test/randomHistory";
import { encodePermit } from "@dueday/core/calldata/encodePermit";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { type KeptPermit, PERMIT_TYPES } from "@dueday/core/permit/permit";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import type { Plan } from "@dueday/core/remit/plan";
import { testTokenAbi } from "@dueday/devnet/abi/testTokenAbi";
import { type ReplayContext, type ReplayNode, setUp } from "@dueday/devnet/replay/setUp";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import fc from "fast-check";
import { type Address, encodeFunctionData, type Hex, keccak256, stringToHex, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { pinBlock } from "../block/pinBlock";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { planBacklog } from "../remit/planBacklog";
import { createRemitStateCache } from "../remit/state/createRemitStateCache";
import { readPermitFacts } from "./readPermitFacts";
import { type PermitPlanFacts, readPermitPlan } from "./readPermitPlan";

const SEED = 7;
const HISTORIES = testDepth === 1 ? 15 : 30 * testDepth;
const TIMEOUT_MS = 240_000 * testDepth;
const DAY = 86_400n;
const SUBSCRIBERS = ["ann", "ben", "cem", "dora", "eve"];

const signerOf = (name: string) => privateKeyToAccount(keccak256(stringToHex(`key of ${name}`)));

let context: ReplayContext;
let node: ReplayNode;
let chain: ChainClient;
beforeAll(async () => {
  ({ context, node } = await setUp(beginning, undefined, (name) => signerOf(name).address));
  await context.client.setAutomine(false);
  chain = createChainClient({ chainId: 31337, rpcUrls: [context.url], requestTimeoutMs: 10_000 });
});
afterAll(() => node.stop());

/** What is wrong with a permit: with its text when it is signed, or with what happened after it was kept. */
const FAULTS = [
  "other owner",
  "other spender",
  "other chain",
  "other token",
  "used",
  "expired",
  "allowance changed",
  "nonce too high",
] as const;

const wish = fc.record({
  who: fc.constantFrom(...SUBSCRIBERS),
  token: fc.constantFrom("T6", "T18"),
  /** Whole tokens; the last is an allowance that is never spent. */
  value: fc.oneof(fc.nat({ max: 120 }), fc.constant(Number.POSITIVE_INFINITY)),
  fault: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...FAULTS) }),
  /** What the owner has before, whole tokens: mostly too little of an allowance, sometimes of a balance. */
  balance: fc.integer({ min: 20, max: 200 }),
  allowance: fc.nat({ max: 30 }),
});
type Wish = {
  who: string;
  token: string;
  value: number;
  fault: (typeof FAULTS)[number] | null;
  balance: number;
  allowance: number;
};
/** At most one for each owner and token, as the service keeps them. */
const wishes = fc.uniqueArray(wish, { minLength: 6, maxLength: 10, selector: ({ who, token }) => `${who} ${token}` });

type Kept = KeptPermit & { fault: Wish["fault"] };

async function sign({ who, token: symbol, value: whole, fault, ...held }: Wish): Promise<Kept> {
  const { contract, names } = context;
  const [owner, token] = [names.addressOf(who), names.addressOf(symbol)];
  const units = 10n ** (symbol === "T6" ? 6n : 18n);
  const fund = (balance: bigint, allowed: bigint) => {
    const args = [owner, contract, balance, allowed] as const;
    return send(token, encodeFunctionData({ abi: testTokenAbi, functionName: "fund", args }));
  };
  const balance = BigInt(held.balance) * units;
  await fund(balance, BigInt(held.allowance) * units);
  const block = await pinBlock(chain);
  const { domain, nonce, allowance } = await readPermitFacts(chain, { contract, token, owner, block });
  const value = Number.isFinite(whole) ? BigInt(whole) * units : 2n ** 256n - 1n;
  const deadline = block.timestamp + (fault === "expired" ? -1n : DAY);
  const permit = { owner, spender: contract, value, nonce: fault === "nonce too high" ? nonce + 1n : nonce, deadline };
  const { Permit } = PERMIT_TYPES;
  const signature = await signerOf(fault === "other owner" ? "somebody else" : who).signTypedData({
    domain: {
      ...domain,
      ...(fault === "other chain" && { chainId: 8453 }),
      ...(fault === "other token" && { verifyingContract: contract }),
    },
    types: { Permit },
    primaryType: "Permit",
    message: { ...permit, ...(fault === "other spender" && { spender: context.keeper }) },
  });
  const kept = { ...permit, token, signature, isOfKey: true, allowance, fault };
  if (fault === "used") await send(token, encodePermit(kept));
  if (fault === "allowance changed") await fund(balance, allowance + 1n);
  return kept;
}

/** Mines a transaction of the keeper. @returns its logs; null where it reverts */
async function send(to: Address, data: Hex) {
  const { client, keeper: from } = context;
  const params = [{ from, to, data, gas: toHex(20_000_000) }] as const;
  const hash = await client.request({ method: "eth_sendTransaction", params: [...params] });
  await client.mine({ blocks: 1 });
  const { status, logs } = await client.getTransactionReceipt({ hash });
  return status === "success" ? logs : null;
}

type Planned = { plan: Plan; after: PermitPlanFacts<Kept> | null };

/** The plan with these kept permits at the head, by simulation and model, which have to agree. */
async function planWith(kept: readonly Kept[]): Promise<Planned> {
  const { contract, keeper: from } = context;
  const block = await pinBlock(chain);
  const onAlarm = (alarm: object) => {
    throw new Error(`alarm: ${JSON.stringify(alarm)}`);
  };
  const stateCache = createRemitStateCache(contract);
  const parameters = { contract, from, block, onAlarm };
  const plan = await planBacklog(chain, { ...parameters, stateCache, needsModel: () => true });
  const after = await readPermitPlan(chain, {
    ...parameters,
    plan,
    permitsOf: async (payers) =>
      kept.filter(({ token, owner }) => payers.some((payer) => payer.token === token && payer.owner === owner)),
  });
  return { plan, after };
}

/** What a plan promises of each transaction. */
const promised = ({ transactions }: Plan) =>
  transactions.map(({ closesDays, payments, failures, callerFees }) => ({
    closesDays,
    payments,
    failures,
    callerFees,
  }));

/** Calls remit() until it reverts, or changes nothing. */
async function settle() {
  const { contract, keeper: caller } = context;
  const done: ReturnType<typeof promised> = [];
  const paid = new Set<string>();
  for (;;) {
    const logs = await send(contract, encodeRemit());
    if (logs === null) return { done, paid };
    const { closesDays, payments, failures, callerFees, handled } = parseRemitLogs(logs, { contract, caller });
    if (payments === 0 && closesDays.length === 0) return { done, paid };
    done.push({ closesDays, payments, failures, callerFees });
    for (const { id, subscriber, dayNumber, outcome } of handled)
      if (outcome !== "failed") paid.add(`${dayNumber} ${id} ${subscriber}`);
  }
}

test(
  "the plan with permits is what then happens, and no permit that can't be used is in it, in random histories",
  async () => {
    let [plans, saved, lost, submitted] = [0, 0, 0, 0];
    const faults = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(arbitraryHistory, wishes, fc.nat({ max: 4 }), async (history, wanted, days) => {
        const { client } = context;
        const start = await client.snapshot();
        try {
          await playHistory(context, history, async () => {
            const before = await client.snapshot();
            const { timestamp } = await client.getBlock();
            await client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(days) * DAY + 1n });
            const kept: Kept[] = [];
            for (const each of wanted) kept.push(await sign(each));
            const { plan, after } = await planWith(kept);
            plans++;
            for (const { fault } of kept) if (fault !== null) faults.set(fault, (faults.get(fault) ?? 0) + 1);
            const shown = after?.permits ?? [];
            expect(shown.filter(({ permit }) => permit.fault !== null)).toEqual([]);
            for (const { permit } of shown) expect(await send(permit.token, encodePermit(permit))).not.toBeNull();
            const { done, paid } = await settle();
            expect(done).toEqual(promised(after?.plan ?? plan));
            for (const { saves } of shown) {
              expect(saves.length).toBeGreaterThan(0);
              for (const { id, subscriber, dayNumber } of saves)
                expect(paid).toContain(`${dayNumber} ${id} ${subscriber}`);
              saved += saves.length;
            }
            submitted += shown.length;
            lost += plan.details?.payments.filter(({ outcome }) => outcome.startsWith("fails_")).length ?? 0;
            await client.revert({ id: before });
          });
        } finally {
          await client.revert({ id: start });
        }
      }),
      { numRuns: HISTORIES, seed: testDepth === 1 ? SEED : testSeed, endOnFailure: true },
    );
    const met = [...faults].map(([name, count]) => `${name} ${count}`).join(", ");
    console.log(
      `${HISTORIES} histories, ${plans} plans: of ${lost} failing payments ${submitted} permits save ${saved}; refused: ${met}`,
    );
    expect([saved > 0, FAULTS.filter((fault) => !faults.has(fault))]).toEqual([true, []]);
  },
  TIMEOUT_MS,
);
