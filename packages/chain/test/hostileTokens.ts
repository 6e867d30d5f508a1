import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { protocolReverts } from "@dueday/core/reverts/protocolReverts";
import { deployProtocol } from "@dueday/devnet/deployProtocol";
import { deployPeculiarToken, deployToken } from "@dueday/devnet/deployToken";
import { approveToken, createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import type { DevnetScenario } from "@dueday/devnet/scenarios/devnetScenario";
import { send } from "@dueday/devnet/send";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { type Address, encodeFunctionData, parseAbi, parseEther } from "viem";

export const HOSTILE_NOW = Date.UTC(2026, 2, 20, 12) / 1000;
const TODAY = dayNumber(BigInt(HOSTILE_NOW));
const AMOUNT = parseEther("10");

const tokenAbi = parseAbi([
  "function misbehave(uint256 mode, string reason, uint256 burnt)",
  "function lie(uint256 mode, address protocol, address target)",
]);

const contracts = { wrong: "HostileToken", lying: "LyingToken", trap: "TrapToken" } as const;

/**
 * Two transactions of a good token three days ago, one of a hostile token the day before yesterday, and one of the good token after it. The
 * hostile token is one of three: `wrong`, whose transfers go wrong, `lying`, or a `trap` for keepers.
 */
export function hostileTokens(kind: keyof typeof contracts): DevnetScenario {
  return {
    daysBefore: 6,
    accounts: 12,
    async seed(client) {
      const [admin, janitor, , provider, ...subscribers] = await client.request({ method: "eth_accounts" });
      if (!admin || !janitor || !provider) throw new Error("the node has too few accounts");
      await client.setNextBlockTimestamp({ timestamp: BigInt((TODAY - 5) * DAY_SECONDS) });
      const fees = { callerFee: 10200n, systemFee: 10000n, allowSystemFee: false };
      const contract = await deployProtocol(client, { ...fees, maxRemits: 2n, cancelLimit: 5n, admin, janitor });
      const target = { client, contract, admin };
      const good = await deployToken(client, admin, { name: "Good", symbol: "GOOD", decimals: 18 });
      const hostile = await deployPeculiarToken(client, admin, {
        file: "OddTokens",
        contract: contracts[kind],
      });
      for (const token of [good, hostile]) {
        await approveToken(target, token, 18, parseEther("1"));
        for (const each of subscribers) await fund(target, token, each, parseEther("1000"), parseEther("1000"));
      }
      const create = (token: Address, day: number) =>
        createSubscription(target, provider, {
          amount: AMOUNT,
          token,
          frequency: 0,
          dueDay: calendarDay(day).weekDay,
          details: { url: "https://harbor.example/plans", description: "Weekly" },
        });
      const before = await create(good, TODAY - 3);
      const hostileId = await create(hostile, TODAY - 2);
      const after = await create(good, TODAY - 1);
      for (const each of subscribers.slice(0, 4)) await subscribe(target, each, before);
      for (const each of subscribers.slice(0, 2)) await subscribe(target, each, hostileId);
      for (const each of subscribers.slice(0, 2)) await subscribe(target, each, after);
      // The second subscriber of the hostile token's plan can't pay any more.
      const [, poor] = subscribers;
      if (poor !== undefined) await fund(target, hostile, poor, AMOUNT / 2n, AMOUNT / 2n);
      return { contract, tokens: [good, hostile], subscriptions: { before, hostile: hostileId, after } };
    },
  };
}

/** What the hostile token does after a call of `misbehave`. */
export type Misbehaviour = { name: string; kind: "wrong" | "lying"; mode: bigint; reason?: string; burnt?: bigint };

export const misbehaviours: readonly Misbehaviour[] = [
  { name: "behaves", kind: "wrong", mode: 0n },
  { name: "uses up its gas at once", kind: "wrong", mode: 1n },
  { name: "loops until its gas is used up", kind: "wrong", mode: 2n },
  ...Object.keys(protocolReverts).map((reason): Misbehaviour => {
    return { name: `reverts with the protocol's ${reason}`, kind: "wrong", mode: 3n, reason };
  }),
  { name: "takes much gas", kind: "wrong", mode: 4n, burnt: 1_000_000n },
  { name: "returns false", kind: "wrong", mode: 5n },
  { name: "calls remit() again", kind: "wrong", mode: 6n },
  { name: "behaves, but for its symbol and name", kind: "lying", mode: 0n },
  { name: "takes a fee of each transfer", kind: "lying", mode: 1n },
  { name: "rebases to half", kind: "lying", mode: 2n },
  { name: "shows plenty to all but the protocol", kind: "lying", mode: 3n },
  { name: "shows nothing to all but the protocol", kind: "lying", mode: 4n },
  { name: "refuses the transactions of one keeper", kind: "lying", mode: 5n },
  { name: "shows nothing where much gas is left", kind: "lying", mode: 6n },
  { name: "refuses transfers where much gas is left", kind: "lying", mode: 7n },
  { name: "shows plenty to everybody", kind: "lying", mode: 8n },
];

/** Lets the hostile token of a devnet with `hostileTokens` misbehave. */
export async function misbehave(
  devnet: Devnet,
  { kind, mode, reason = "", burnt = 0n }: Omit<Misbehaviour, "name">,
): Promise<void> {
  const { client, contract, keeper, tokens } = devnet;
  const data =
    kind === "wrong"
      ? encodeFunctionData({ abi: tokenAbi, functionName: "misbehave", args: [mode, reason, burnt] })
      : encodeFunctionData({ abi: tokenAbi, functionName: "lie", args: [mode, contract, keeper.address] });
  await send(client, { from: keeper.address, to: tokens[1] ?? contract, data });
}
