import { protocolAbi } from "@dueday/core/abi/protocol";
import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dueDayOf, FREQUENCIES, lastDueDay } from "@dueday/core/calendar/frequency";
import type { DevnetClient } from "@dueday/devnet/client";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Address, type Hex, isHex, parseAbiItem } from "viem";

/** Reads the chain itself, past the service and with none of its code but ABI and calendar, at the block that an answer names. */
export type Truth = {
  /** What is wrong with an answer; null when it is what the chain holds at its block. */
  check(path: string, body: unknown): Promise<string | null>;
};

export const AnswerStamp = Type.Object({
  asOf: Type.Object({
    blockNumber: Type.String(),
    blockHash: Type.String(),
    blockTimestamp: Type.Integer(),
    computedAt: Type.String(),
    confirmedAt: Type.Optional(Type.String()),
    source: Type.String(),
    stale: Type.Boolean(),
  }),
});
const State = Type.Object({ nextUncheckedDay: Type.Integer(), maxRemits: Type.Integer(), currentDay: Type.Integer() });
const Due = Type.Object({
  dayNumber: Type.Integer(),
  results: Type.Array(Type.Object({ frequency: Type.Integer(), subscriptionIds: Type.Array(Type.String()) })),
});
const Readiness = Type.Object({ nextUncheckedDay: Type.Integer(), totalPayments: Type.Integer() });
const FeeBalance = Type.Object({ id: Type.String(), address: Type.String(), feeBalanceRaw: Type.String() });
const History = Type.Object({
  events: Type.Array(Type.Object({ transactionHash: Type.String(), logIndex: Type.Integer() })),
  count: Type.Integer(),
  hasMore: Type.Boolean(),
});

const subLog = parseAbiItem(
  "event SubLog(bytes32 indexed id, address indexed provider, address indexed subscriber, uint40 timestamp, uint256 amount, address token, uint8 subScriptEvent)",
);
const coordinates = parseAbiItem(
  "event Coordinates(bytes32 indexed id, uint256 subscriberIndex, uint256 subscriptionIndex, uint256 frequency, uint40 indexed nextUncheckedDay)",
);

const DAY_SECONDS = 86_400;

export function createTruth(client: DevnetClient, contract: Address): Truth {
  const at = (blockNumber: bigint) => ({ address: contract, abi: protocolAbi, blockNumber });

  async function check(path: string, body: unknown): Promise<string | null> {
    const { asOf } = parse(AnswerStamp, body);
    const blockNumber = BigInt(asOf.blockNumber);
    const block = await client.getBlock({ blockNumber });
    if (block.hash !== asOf.blockHash) return "names a block that the chain does not have";
    if (Number(block.timestamp) !== asOf.blockTimestamp) return "names another time than its block has";
    const expected = await expectedOf(path, body, blockNumber, asOf.blockTimestamp);
    return Bun.deepEquals(expected.chain, expected.answer)
      ? null
      : `returned ${JSON.stringify(expected.answer)} at block ${blockNumber}, the chain ${JSON.stringify(expected.chain)}`;
  }

  async function expectedOf(path: string, body: unknown, blockNumber: bigint, timestamp: number) {
    if (path.startsWith("/protocol")) return protocolState(parse(State, body), blockNumber, timestamp);
    if (path.startsWith("/remit")) return readiness(parse(Readiness, body), blockNumber, timestamp);
    if (path.endsWith("/due")) return due(parse(Due, body), blockNumber);
    if (path.includes("/history")) return history(path, parse(History, body), blockNumber);
    return feeBalance(parse(FeeBalance, body), blockNumber);
  }

  async function protocolState(answer: Static<typeof State>, blockNumber: bigint, timestamp: number) {
    const { nextUncheckedDay, maxRemits, currentDay } = answer;
    const chain = {
      nextUncheckedDay: await client.readContract({ ...at(blockNumber), functionName: "nextUncheckedDay" }),
      maxRemits: Number(await client.readContract({ ...at(blockNumber), functionName: "maxRemits" })),
      currentDay: Math.floor(timestamp / DAY_SECONDS),
    };
    return { chain, answer: { nextUncheckedDay, maxRemits, currentDay } };
  }

  /** No payment fails in this scenario, so a plan holds all subscribers of the open days except those that a page has settled. */
  async function readiness(answer: Static<typeof Readiness>, blockNumber: bigint, timestamp: number) {
    const nextUncheckedDay = await client.readContract({ ...at(blockNumber), functionName: "nextUncheckedDay" });
    const today = Math.floor(timestamp / DAY_SECONDS);
    let totalPayments = 0;
    for (let day = nextUncheckedDay; day <= today; day++) {
      for (const ids of (await dueIds(day, blockNumber)).values()) {
        for (const id of ids) totalPayments += await countSubscribers(id, blockNumber);
      }
    }
    const settled = await client.getLogs({
      address: contract,
      event: coordinates,
      args: { nextUncheckedDay },
      fromBlock: 0n,
      toBlock: blockNumber,
    });
    if (nextUncheckedDay <= today) totalPayments -= settled.length;
    const { nextUncheckedDay: day, totalPayments: payments } = answer;
    return { chain: { nextUncheckedDay, totalPayments }, answer: { nextUncheckedDay: day, totalPayments: payments } };
  }

  async function due(answer: Static<typeof Due>, blockNumber: bigint) {
    const lists = await dueIds(answer.dayNumber, blockNumber);
    const chain = answer.results.map(({ frequency }) => ({ frequency, ids: lists.get(frequency) ?? [] }));
    return { chain, answer: answer.results.map(({ frequency, subscriptionIds: ids }) => ({ frequency, ids })) };
  }

  async function history(path: string, answer: Static<typeof History>, blockNumber: bigint) {
    const id = path.split("/")[2];
    if (!isHex(id)) throw new Error(`${path} names no id`);
    const logs = await client.getLogs({
      address: contract,
      event: subLog,
      args: { id },
      fromBlock: 0n,
      toBlock: blockNumber,
    });
    const chain = logs.map(({ transactionHash, logIndex }) => ({ transactionHash, logIndex })).reverse();
    const first = Number(new URL(path, "http://localhost").searchParams.get("first"));
    const returned = answer.events.map(({ transactionHash, logIndex }) => ({ transactionHash, logIndex }));
    return {
      chain: { events: chain.slice(0, first), count: chain.length, hasMore: chain.length > first },
      answer: { events: returned, count: answer.count, hasMore: answer.hasMore },
    };
  }

  async function feeBalance({ id, address, feeBalanceRaw }: Static<typeof FeeBalance>, blockNumber: bigint) {
    // The answer comes from this service and has the requested fields.
    const args = [id as Hex, address as Address] as const;
    const chain = await client.readContract({ ...at(blockNumber), functionName: "feeBalance", args });
    return { chain: { feeBalanceRaw: chain.toString() }, answer: { feeBalanceRaw } };
  }

  async function dueIds(day: number, blockNumber: bigint): Promise<Map<number, readonly Hex[]>> {
    const lists = new Map<number, readonly Hex[]>();
    for (const frequency of FREQUENCIES) {
      const dueDay = dueDayOf(calendarDay(day), frequency);
      if (dueDay > lastDueDay(frequency)) continue;
      const args = [BigInt(frequency), dueDay] as const;
      lists.set(frequency, await client.readContract({ ...at(blockNumber), functionName: "getIdByTime", args }));
    }
    return lists;
  }

  async function countSubscribers(id: Hex, blockNumber: bigint): Promise<number> {
    return (await client.readContract({ ...at(blockNumber), functionName: "getSubscribersById", args: [id] })).length;
  }

  return { check };
}

function parse<T extends TSchema>(schema: T, body: unknown): Static<T> {
  // Not Value.Parse, which converts a number in a text.
  Value.Assert(schema, body);
  return body;
}
