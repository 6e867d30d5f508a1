import { afterAll, beforeAll, expect, test } from "bun:test";
import { beginning, playHistory } from "@dueday/chain/test/randomHistory";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { decodeProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import { WALK_DAYS } from "@dueday/core/walk/coverage";
import { lastDayOfPeriods } from "@dueday/core/walk/neededAllowance";
import { type ReplayContext, type ReplayNode, setUp } from "@dueday/devnet/replay/setUp";
import { type Address, type Hex, maxUint256, parseUnits, toHex } from "viem";
import { pinBlock } from "../block/pinBlock";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { createRemitStateCache } from "../remit/state/createRemitStateCache";
import { type CoverageReader, createCoverageReader } from "../walk/createCoverageReader";
import { planApprove } from "./planApprove";
import { planSubscribe } from "./planSubscribe";
import type { ApprovalWish, RenewalWish } from "./readApproval";
import { readApproveFacts, readTokenApproveFacts } from "./readApproveFacts";
import { readSubscribeFacts } from "./readSubscribeFacts";

const GAS = toHex(12_000_000);

let context: ReplayContext;
let node: ReplayNode;
let client: ChainClient;
let coverage: CoverageReader;
let ann: Address;
let token: Address;
let large: Hex;
let small: Hex;
let untouched: Hex;

/** Plans of 100 and 10 a month in one token. The keeper is on time, so the day of the test is closed. */
beforeAll(async () => {
  ({ context, node } = await setUp(beginning));
  await context.client.setAutomine(false);
  client = createChainClient({ chainId: 31337, rpcUrls: [context.url], requestTimeoutMs: 30_000 });
  coverage = createCoverageReader(createRemitStateCache(context.contract));
  ann = context.names.addressOf("ann");
  token = context.names.addressOf("T6");
  const monthly = { op: "create", by: "provider1", token: "T6", frequency: 1 } as const;
  await playHistory(
    context,
    [
      { ...monthly, dueDay: 20, amount: 100 },
      { ...monthly, dueDay: 20, amount: 10 },
      { op: "fund", who: "ann", token: "T6", balance: 1_000_000, allowance: 0 },
    ],
    async () => {},
  );
  const logs = await context.client.getLogs({ address: context.contract, fromBlock: 0n });
  const ids = logs.flatMap((log) => {
    const event = decodeProtocolEvent(log);
    return event?.event === "DetailsLog" ? [event.id] : [];
  });
  [large = "0x", small = "0x"] = ids;
  untouched = await context.client.snapshot();
});
afterAll(() => node.stop());

async function restart(): Promise<void> {
  await context.client.revert({ id: untouched });
  untouched = await context.client.snapshot();
  coverage = createCoverageReader(createRemitStateCache(context.contract));
}

async function subscribePlan(id: Hex, approval: ApprovalWish) {
  const { contract } = context;
  const block = await pinBlock(client);
  const facts = await readSubscribeFacts(client, {
    contract,
    id,
    block,
    prefetched: null,
    account: ann,
    coverage,
    approval,
  });
  if (facts === null) throw new Error(`unknown ${id}`);
  return planSubscribe({ facts, contract, block });
}

async function approvePlan(id: Hex, wish: RenewalWish) {
  const { contract } = context;
  const block = await pinBlock(client);
  const facts = await readApproveFacts(client, {
    contract,
    id,
    block,
    prefetched: null,
    account: ann,
    coverage,
    wish,
  });
  if (facts === null) throw new Error(`unknown ${id}`);
  return planApprove(facts, { contract });
}

async function signAll(calls: readonly { to: Address; data: Hex }[]): Promise<void> {
  for (const { to, data } of calls) {
    const hash = await context.client.request({
      method: "eth_sendTransaction",
      params: [{ from: ann, to, data, gas: GAS }],
    });
    await context.client.mine({ blocks: 1 });
    expect((await context.client.getTransactionReceipt({ hash })).status).toBe("success");
  }
}

/** What the contract charges up to a day. */
async function settleUntil(day: number) {
  const { client: devnet, contract, keeper } = context;
  await devnet.setNextBlockTimestamp({ timestamp: BigInt(day * DAY_SECONDS + DAY_SECONDS / 2) });
  await devnet.mine({ blocks: 1 });
  const outcomes: string[] = [];
  for (;;) {
    const call = { from: keeper, to: contract, data: encodeRemit(), gas: GAS };
    const hash = await devnet.request({ method: "eth_sendTransaction", params: [call] });
    await devnet.mine({ blocks: 1 });
    const { status, logs } = await devnet.getTransactionReceipt({ hash });
    if (status === "reverted") return outcomes;
    outcomes.push(...parseRemitLogs(logs, { contract, caller: keeper }).handled.map(({ outcome }) => outcome));
  }
}

const today = async () => Number((await pinBlock(client)).timestamp) / DAY_SECONDS;
const approved = ({ ways }: Awaited<ReturnType<typeof subscribePlan>>) => ways[0]?.[0]?.approves?.value;
const units = (whole: number) => parseUnits(String(whole), 6);

test("with approvalPeriods 12 a second plan prepares an approve for both, and month 12 passes", async () => {
  await restart();
  const first = await subscribePlan(large, { approvalPeriods: 12 });
  await signAll(first.ways[0] ?? []);
  const second = await subscribePlan(small, { approvalPeriods: 12 });
  const { initialCharge } = second.facts;
  expect(approved(second)).toBe(BigInt(initialCharge.totalRaw) + 12n * units(100) + 12n * units(10));
  expect(second.warnings).toEqual([]);
  await signAll(second.ways.at(-1) ?? []);
  const state = { today: Math.floor(await today()), nextUncheckedDay: 0 };
  const outcomes = await settleUntil(lastDayOfPeriods(state, { frequency: 1, dueDay: 20 }, 12));
  expect(outcomes).toHaveLength(24);
  expect(outcomes).not.toContain("failed");
});

test("where an allowance covers the new plan but not both for a period, readiness names the day and the plan that fails first", async () => {
  await restart();
  await signAll((await subscribePlan(large, { approvalPeriods: 1 })).ways[0] ?? []);
  // What is left is one payment of 100: enough for the plan of 10 alone.
  const second = await subscribePlan(small, {});
  const shared = second.warnings.find(({ code }) => code === "SHARED_ALLOWANCE");
  expect(approved(second)).toBeUndefined();
  expect(shared?.message).toContain(large);
  await signAll(second.ways[0] ?? []);
  const walk = await coverage.read(client, await pinBlock(client));
  const { failsDay, cause } = walk?.coverageOf(large, ann) ?? {};
  expect(cause).toBe("allowance");
  expect(shared?.message).toContain(dayToDate(failsDay ?? 0) ?? "no day");
  const { failsDay: day } = walk?.coverageOf(large, ann) ?? {};
  expect(await settleUntil(day ?? 0)).toContain("failed");
});

test("a renewal by id covers the account's other plans and never lowers what they need; exact approves for one alone, with a warning", async () => {
  await restart();
  for (const id of [large, small]) await signAll((await subscribePlan(id, { approvalPeriods: 12 })).ways.at(-1) ?? []);
  const renewal = await approvePlan(small, { approvalPeriods: 3 });
  const walk = await coverage.read(client, await pinBlock(client));
  const months = walk === null ? 0 : dueMonths(walk.state.today);
  // Both for the 400 days of the walk, but not more than is allowed now.
  const present = BigInt(renewal.facts.allowanceRaw);
  const all = units(110) * BigInt(months);
  expect(BigInt(renewal.facts.approvalRaw)).toBe(all < present ? all : present);
  expect(BigInt((await approvePlan(small, { approvalPeriods: 24 })).facts.approvalRaw)).toBe(24n * units(110));
  const exact = await approvePlan(small, { approvalPeriods: 3, exact: true });
  expect(BigInt(exact.facts.approvalRaw)).toBe(3n * toTokenUnits(10n * 10n ** 18n, 6));
  expect(exact.warnings.map(({ code }) => code)).toEqual(["LOWERS_ALLOWANCE"]);
  expect((await approvePlan(small, { infiniteApproval: true })).facts.approvalRaw).toBe(maxUint256.toString());
});

test("a renewal by token counts the periods of the longest plan, and is refused where nothing is paid in it", async () => {
  await restart();
  const { contract, names } = context;
  await signAll((await subscribePlan(large, { approvalPeriods: 1 })).ways[0] ?? []);
  const block = await pinBlock(client);
  const target = { contract, account: ann, coverage, block, wish: { approvalPeriods: 6 } };
  const plan = planApprove(await readTokenApproveFacts(client, { ...target, token }), { contract });
  expect([plan.refusals, BigInt(plan.facts.approvalRaw)]).toEqual([[], 6n * units(100)]);
  expect(plan.facts).toMatchObject({ token, subscription: { id: large }, runway: { periodsByAllowance: 6 } });
  const other = await readTokenApproveFacts(client, { ...target, token: names.addressOf("T18") });
  expect(planApprove(other, { contract }).refusals).toHaveLength(1);
});

/** Due days of a monthly plan of the 20th within the walk. */
function dueMonths(from: number): number {
  let months = 0;
  for (let day = from + 1; day <= from + WALK_DAYS; day++) if (dayToDate(day)?.endsWith("-20")) months++;
  return months;
}
