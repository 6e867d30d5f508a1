import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { type CalendarDay, calendarDay } from "@dueday/core/calendar/calendarDay";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { dueDayOf, FREQUENCIES, type Frequency, lastDueDay } from "@dueday/core/calendar/frequency";
import { type Address, encodeFunctionData, type Hex, pad, parseAbi, parseEther, parseGwei, toHex } from "viem";
import { testTokenAbi } from "../abi/testTokenAbi";
import { compile } from "../compile";
import { deployProtocol } from "../deployProtocol";
import { deployToken } from "../deployToken";
import { approveToken, createSubscription, type Target } from "./actions";
import type { DevnetScenario } from "./devnetScenario";

export type LargeOptions = {
  /** Subscribers due in the backlog, each once; 1,000 by default. One in twenty has no tokens and fails. */
  payments?: number;
  /** Number of days with payments, of which today is the last; 5 by default, at most 28. */
  days?: number;
  /** The most subscribers of a subscription; 250 by default. */
  subscribersOfEach?: number;
  /** 100 by default; such a page costs about 8,000,000 gas. */
  maxRemits?: bigint;
  /** Of each payment, with 18 decimals; 10 by default. */
  amount?: bigint;
};

/** A token, and the units of it that each payment takes. */
type Paid = { token: Address; units: bigint };

type Due = { day: number; frequency: Frequency; dueDay: number };

const seederAbi = parseAbi(["function seedSubscribers(bytes32 id, address first, uint256 count)"]);

/** First of the consecutive addresses of the subscribers. They have no keys, because subscribers do not sign. */
const FIRST_SUBSCRIBER = 0x1000000000000000000000000000000000000000n;
const SUBSCRIBERS_PER_BLOCK = 2_000;
const GROUP_GAS = 60_000_000n;
const SEEDING_GAS_LIMIT = 1_000_000_000_000n;
const DECIMALS = 6;

/**
 * A backlog of N payments over D days. Subscribers are written in bulk, by code that temporarily replaces the contract's.
 * Each day has due ids of one frequency only, so that paging misses none of them.
 */
export function large(options: LargeOptions = {}): DevnetScenario {
  const { payments = 1_000, days = 5, subscribersOfEach = 250, maxRemits = 100n, amount = parseEther("10") } = options;
  if (days < 1 || days > 28) throw new RangeError(`days is ${days}, must be 1..28: otherwise a due day would repeat`);
  return {
    daysBefore: days + 5,
    accounts: 10,
    async seed(client, now) {
      const [admin, janitor, , provider] = await client.request({ method: "eth_accounts" });
      if (!admin || !janitor || !provider) throw new Error("the node has too few accounts");
      const dueDays = backlog(dayNumber(now), days);
      const firstDay = dueDays[0]?.day ?? dayNumber(now);
      await client.setNextBlockTimestamp({ timestamp: BigInt((firstDay - 1) * DAY_SECONDS) });

      const fees = { callerFee: 10200n, systemFee: 10000n, allowSystemFee: false, cancelLimit: 5n };
      const contract = await deployProtocol(client, { ...fees, maxRemits, admin, janitor });
      const target = { client, contract, admin };
      const token = await deployToken(client, admin, { name: "Harbor Dollar", symbol: "HUSD", decimals: DECIMALS });
      await approveToken(target, token, DECIMALS, amount / 10n);

      const groups = groupsOf(payments, subscribersOfEach, dueDays);
      const subscriptions: Record<string, Hex> = {};
      for (const [index, { due }] of groups.entries()) {
        const details = { url: "https://harbor.example/plans", description: `Plan ${index}` };
        const { frequency, dueDay } = due;
        const subscription = { amount, token, details, frequency, dueDay };
        subscriptions[`plan${index}`] = await createSubscription(target, provider, subscription);
      }
      const units = toTokenUnits(amount, DECIMALS);
      await seedSubscribers(target, { token, units }, groups, Object.values(subscriptions));
      return { contract, tokens: [token], subscriptions };
    },
  };
}

/** The last `days` days, each with a frequency that can be due on it: in turns, and weekly only if no other can. */
function backlog(today: number, days: number): Due[] {
  return Array.from({ length: days }, (_, index) => {
    const day = today - days + 1 + index;
    const calendar = calendarDay(day);
    const turn: Frequency[] = [1, 2, 3].map((offset) => FREQUENCIES[((index + offset) % 3) + 1] ?? 1);
    const frequency = turn.find((each) => fits(calendar, each)) ?? 0;
    return { day, frequency, dueDay: dueDayOf(calendar, frequency) };
  });
}

function fits(calendar: CalendarDay, frequency: Frequency): boolean {
  return dueDayOf(calendar, frequency) <= lastDueDay(frequency);
}

/** The number of subscribers of each id to create: at most `ofEach`, distributed evenly over the days. */
function groupsOf(payments: number, ofEach: number, dueDays: readonly Due[]): { due: Due; count: number }[] {
  return dueDays.flatMap((due, index) => {
    const groups: { due: Due; count: number }[] = [];
    const before = Math.floor((payments * index) / dueDays.length);
    let left = Math.floor((payments * (index + 1)) / dueDays.length) - before;
    for (; left > 0; left -= ofEach) groups.push({ due, count: Math.min(left, ofEach) });
    return groups;
  });
}

/**
 * Anvil slows down with each block of a large state, so a block holds many groups. A block is limited to about 4 MB of logs,
 * because a client can't request logs of less than one block.
 */
async function seedSubscribers(
  target: Target,
  { token, units }: Paid,
  groups: { count: number }[],
  ids: Hex[],
): Promise<void> {
  const { client, contract, admin } = target;
  const code = await client.getCode({ address: contract });
  if (!code) throw new Error("the protocol is not deployed");
  const { gasLimit } = await client.getBlock();
  await client.setAutomine(false);
  await client.setBlockGasLimit({ gasLimit: SEEDING_GAS_LIMIT });
  await client.setCode({ address: contract, bytecode: (await compile("BulkSeeder")).code });

  const push = (to: Address, data: Hex) =>
    client.request({ method: "eth_sendTransaction", params: [{ from: admin, to, data, gas: toHex(GROUP_GAS) }] });
  let next = FIRST_SUBSCRIBER;
  let inBlock = 0;
  for (const [index, { count }] of groups.entries()) {
    const id = ids[index];
    if (!id) throw new Error(`group ${index} has no subscription`);
    const first = pad(toHex(next), { size: 20 });
    const seed = [id, first, BigInt(count)] as const;
    await push(contract, encodeFunctionData({ abi: seederAbi, functionName: "seedSubscribers", args: seed }));
    const mint = [contract, units * BigInt(count)] as const;
    await push(token, encodeFunctionData({ abi: testTokenAbi, functionName: "mint", args: mint }));
    const paying = [first, BigInt(count - Math.floor(count / 20)), contract, units * 100n, units * 100n] as const;
    await push(token, encodeFunctionData({ abi: testTokenAbi, functionName: "fundRange", args: paying }));
    next += BigInt(count);
    inBlock += count;
    if (inBlock < SUBSCRIBERS_PER_BLOCK && index < groups.length - 1) continue;
    await client.mine({ blocks: 1 });
    inBlock = 0;
  }
  await client.setCode({ address: contract, bytecode: code });
  await client.setBlockGasLimit({ gasLimit });
  await client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei("1") });
  await client.setAutomine(true);
  await checkSeeded(
    target,
    { token, units },
    groups.reduce((sum, { count }) => sum + count, 0),
  );
}

/** Reads the contracts instead of the receipts, which would be hundreds of megabytes. */
async function checkSeeded({ client, contract }: Target, { token, units }: Paid, total: number): Promise<void> {
  const subscribers = await client.readContract({
    address: contract,
    abi: protocolAbi,
    functionName: "getTotalSubscribers",
  });
  const held = await client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [contract],
  });
  if (subscribers === BigInt(total) && held === units * BigInt(total)) return;
  throw new Error(
    `seeding ended with ${subscribers} subscribers and a balance of ${held}, not ${total} and ${units * BigInt(total)}`,
  );
}
