import { afterAll, beforeAll, expect, test } from "bun:test";
import { execute } from "@dueday/api/operation/execute";
import { openCaseChain } from "@dueday/api/test/openCaseChain";
import { HOSTILE_NOW, hostileTokens, misbehave, misbehaviours } from "@dueday/chain/test/hostileTokens";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { ServiceError } from "@dueday/core/errors";
import { parseRemitLogs, type RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testDepth } from "@dueday/test-support/testDepth";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Address, getAddress, type Hex, numberToHex, type TransactionReceipt } from "viem";
import { operations } from "../operations/operations";

// Each reader beside each token: it answers what the chain then does, or refuses with the token's name.

const TODAY = dayNumber(BigInt(HOSTILE_NOW));
/** Days of the scenario's subscriptions: open ones, and the same a week later. */
const OPEN_DAYS = [TODAY - 3, TODAY - 2, TODAY - 1];
const LATER_DAYS = [TODAY + 4, TODAY + 5, TODAY + 6];
/** Numbers of the protocol as a token's reason that something treats in a special way; all of them in `bun run test:deep`. */
const REASONS = ["3", "6", "9", "10"];
const cases = misbehaviours.filter(({ reason }) => testDepth > 1 || reason === undefined || REASONS.includes(reason));
const REMIT_GAS = numberToHex(16_000_000n);

const database = await createTestDatabase();
const devnets = new Map<string, Devnet>();
beforeAll(async () => {
  for (const kind of ["wrong", "lying"] as const) {
    devnets.set(kind, await startDevnet({ scenario: hostileTokens(kind), now: HOSTILE_NOW }));
  }
});
afterAll(async () => {
  for (const devnet of devnets.values()) await devnet.stop();
});

async function mine(
  { client }: Devnet,
  { from, to, data, gas }: { from: Address; to: Address; data: Hex; gas: Hex },
): Promise<TransactionReceipt> {
  const hash = await client.request({ method: "eth_sendTransaction", params: [{ from, to, data, gas }] });
  let receipt: TransactionReceipt | null = null;
  await waitUntil("the transaction to be mined", async () => {
    receipt = await client.getTransactionReceipt({ hash }).catch(() => null);
    return receipt !== null;
  });
  if (receipt === null) throw new Error("the transaction was not mined");
  return receipt;
}

/** Mines calls of remit() until one reverts, and returns what the others did. */
async function settle(devnet: Devnet, from: Address): Promise<RemitEffects[]> {
  const { contract } = devnet;
  const all: RemitEffects[] = [];
  for (;;) {
    const receipt = await mine(devnet, { from, to: contract, data: encodeRemit(), gas: REMIT_GAS });
    if (receipt.status === "reverted") return all;
    all.push(parseRemitLogs(receipt.logs, { contract, caller: from }));
  }
}

/** What the chain does if `from` settles now, and again a week later. Leaves no trace. */
async function truthOf(devnet: Devnet, from: Address) {
  const { client } = devnet;
  const snapshot = await client.snapshot();
  try {
    const now = await settle(devnet, from);
    await client.setNextBlockTimestamp({ timestamp: BigInt((TODAY + 7) * DAY_SECONDS) });
    await client.mine({ blocks: 1 });
    const later = await settle(devnet, from);
    const closed = [...now, ...later].flatMap(({ closesDays }) => closesDays);
    return { now, byDay: byDay([...now, ...later]), isBlocked: !closed.includes(TODAY - 1) };
  } finally {
    await client.revert({ id: snapshot });
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

function byDay(effects: readonly RemitEffects[]) {
  const count = (day: number, of: "payments" | "failures") =>
    sum(effects.filter((each) => each.day === day).map((each) => each[of]));
  return (day: number) => ({ payments: count(day, "payments"), expectedFailures: count(day, "failures") });
}

/** The answer of an operation, without its type; or its refusal. */
async function read(devnet: Devnet, name: string, input: Record<string, unknown>) {
  const operation = operations.find((each) => each.name === name);
  if (operation === undefined) throw new Error(`unknown operation ${name}`);
  const { contract, tokens, url } = devnet;
  const context = openCaseChain({ database, contract, rpcUrls: [url], now: HOSTILE_NOW, tokens });
  try {
    const outcome = await execute(operation, context, context, { values: input, issues: [] });
    return { answer: Object("value" in outcome ? outcome.value : null) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { refusal: error };
  }
}

async function answerOf(devnet: Devnet, name: string, input: Record<string, unknown>) {
  const { answer, refusal } = await read(devnet, name, input);
  if (refusal !== undefined) throw refusal;
  return answer;
}

/** The whole way of a prepare: what it returns succeeds on the chain, or its refusal names the token. */
async function judgePrepare(devnet: Devnet, name: string, input: { from: Address; id?: Hex }): Promise<void> {
  const { answer, refusal } = await read(devnet, name, input);
  if (refusal !== undefined) {
    expect(["NOT_READY", "SIMULATION_FAILED"]).toContain(refusal.code);
    const token = devnet.tokens[1] ?? "";
    expect(refusal.message).toMatch(new RegExp(`${token}|HST|LIAR`));
    return;
  }
  const snapshot = await devnet.client.snapshot();
  try {
    for (const [index, { to, data }] of answer.unsignedTransactions.entries()) {
      const gas = numberToHex(BigInt(answer.gasEstimates[index].gasLimit));
      expect((await mine(devnet, { from: input.from, to, data, gas })).status).toBe("success");
    }
  } finally {
    await devnet.client.revert({ id: snapshot });
  }
}

test.each(cases.map((each) => [each.name, each] as const))("a token that %s", async (_, misbehaviour) => {
  const devnet = devnets.get(misbehaviour.kind);
  if (devnet === undefined) throw new Error("the devnet was not started");
  const { client, keeper, subscriptions, tokens } = devnet;
  const [anybody, subscriber, newcomer] = await client
    .request({ method: "eth_accounts" })
    .then((all) => [9, 4, 8].map((index) => getAddress(all[index] ?? "")));
  const id = subscriptions.hostile;
  if (!anybody || !subscriber || !newcomer || !id) throw new Error("the scenario is too small");
  const snapshot = await client.snapshot();
  try {
    await misbehave(devnet, misbehaviour);
    const from = keeper.address;
    const truths = { [from]: await truthOf(devnet, from), [anybody]: await truthOf(devnet, anybody) };
    for (const [caller, { now, isBlocked }] of Object.entries(truths)) {
      const end = isBlocked ? { end: "blocked" } : { end: "caught_up", complete: true };
      const stop = isBlocked ? { blockedBy: { id, token: tokens[1] } } : {};
      const totals = {
        payments: sum(now.map(({ payments }) => payments)),
        failures: sum(now.map(({ failures }) => failures)),
      };
      const transactions = now.map(({ payments, failures, callerFees }) => ({
        payments,
        failures,
        callerFees: callerFees.map(({ token, units }) => expect.objectContaining({ token, amountRaw: String(units) })),
      }));
      const readiness = {
        expectedTransactions: now.length,
        totalPayments: totals.payments,
        expectedFailures: totals.failures,
        plan: { ...end, transactions },
        ...stop,
      };
      expect(await answerOf(devnet, "check_remit_readiness", { from: caller })).toMatchObject(readiness);
      const plan = await answerOf(devnet, "get_remit_plan", { from: caller });
      expect(plan).toMatchObject({ ...end, transactions, totals: { transactions: now.length, ...totals }, ...stop });
      await judgePrepare(devnet, "prepare_remit", { from: getAddress(caller) });
    }
    // The rest is for any caller.
    const { now, byDay, isBlocked } = truths[anybody] ?? (await truthOf(devnet, anybody));
    const forecast = await answerOf(devnet, "get_remit_forecast", {});
    expect(forecast).toMatchObject({
      end: isBlocked ? "blocked" : "caught_up",
      backlog: {
        transactions: now.length,
        payments: sum(OPEN_DAYS.map((day) => byDay(day).payments)),
        expectedFailures: sum(OPEN_DAYS.map((day) => byDay(day).expectedFailures)),
      },
      ...(isBlocked && { blockedBy: { id, token: tokens[1] } }),
    });
    for (const day of LATER_DAYS) {
      const own = forecast.days.find((each: { dayNumber: number }) => each.dayNumber === day);
      expect(own).toMatchObject({ blocked: isBlocked, ...byDay(day) });
    }
    for (const day of [...OPEN_DAYS, ...LATER_DAYS]) {
      const { totals } = await answerOf(devnet, "get_subscriptions_due", { dayNumber: day });
      expect([day, totals]).toMatchObject([day, byDay(day)]);
    }
    await judgePrepare(devnet, "prepare_subscribe_by_id", { from: newcomer, id });
    await judgePrepare(devnet, "prepare_unsubscribe_by_id", { from: subscriber, id });
  } finally {
    await client.revert({ id: snapshot });
  }
});
