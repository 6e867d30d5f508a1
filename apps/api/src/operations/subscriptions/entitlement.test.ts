import { afterAll, beforeAll, expect, test } from "bun:test";
import { arbitraryHistory, beginning, playHistory } from "@dueday/chain/test/randomHistory";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { Frequency } from "@dueday/core/calendar/frequency";
import { nextDueDay } from "@dueday/core/calendar/nextDueDay";
import type { EntitlementState } from "@dueday/core/entitlement/entitlement";
import { entitlementOf } from "@dueday/core/entitlement/entitlementOf";
import { decodeProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import type { IndexedBlock, IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { readMembership } from "@dueday/db/history/readMembership";
import { storeLogs } from "@dueday/db/indexing/storeLogs";
import { type ReplayContext, type ReplayNode, setUp } from "@dueday/devnet/replay/setUp";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import fc from "fast-check";
import type { Hex } from "viem";

const HISTORIES = testDepth === 1 ? 20 : 30 * testDepth;

const { database } = await createTestDatabase();
let context: ReplayContext;
let node: ReplayNode;
beforeAll(async () => {
  ({ context, node } = await setUp(beginning));
  await context.client.setAutomine(false);
});
afterAll(() => node.stop());

type Terms = { frequency: Frequency; dueDay: number; provider: Hex };
type Pair = { id: Hex; account: Hex };

/** What the rules give, log by log. Why somebody left follows from the sender of the transaction, not from the logs around it. */
class Record {
  private joined = new Map<string, { until: number; paidDay: number | null; ended: EntitlementState | null }>();
  private cancelled = new Set<Hex>();

  constructor(private readonly terms: ReadonlyMap<Hex, Terms>) {}

  apply(log: IndexedLog, sender: Hex, before: IndexedLog | undefined): void {
    const { event } = log;
    if (event.event !== "SubLog") return;
    const { id, subscriber, code, timestamp } = event;
    const key = `${id} ${subscriber}`;
    const { frequency, dueDay, provider } = this.termsOf(id);
    const paidUntil = (day: number) => nextDueDay(frequency, dueDay, day + 1) - 1;
    const today = dayNumber(timestamp);
    const member = this.joined.get(key);
    if (code === CANCEL) this.cancelled.add(id);
    else if (code === SUBSCRIBED) this.joined.set(key, { until: paidUntil(today), paidDay: null, ended: null });
    else if ((code === SUBPAID || code === FEEFILL) && member && before?.event.event === "Coordinates") {
      const day = before.event.nextUncheckedDay;
      this.joined.set(key, { ...member, until: paidUntil(day), paidDay: day });
    } else if (code === FAILED && member) this.joined.set(key, { ...member, ended: "failed" });
    else if (code === UNSUBSCRIBED && member) {
      const ended = sender === subscriber ? "unsubscribed" : sender === provider ? "removed" : "cancelled";
      this.joined.set(key, { ...member, ended });
    }
  }

  expected({ id, account }: Pair, { today, nextUncheckedDay }: { today: number; nextUncheckedDay: number }) {
    const member = this.joined.get(`${id} ${account}`);
    if (member === undefined) return { entitled: false, state: "never" };
    const isPaid = today <= member.until;
    if (member.ended !== null)
      return {
        entitled: isPaid && (member.ended === "unsubscribed" || member.ended === "cancelled"),
        state: member.ended,
      };
    if (this.cancelled.has(id)) return { entitled: isPaid, state: "cancelled" };
    const { frequency, dueDay } = this.termsOf(id);
    let isOpen = false;
    for (let day = nextUncheckedDay; day <= today; day++)
      isOpen ||= nextDueDay(frequency, dueDay, day) === day && (member.paidDay === null || day > member.paidDay);
    return { entitled: true, state: isOpen ? "past_due" : "active" };
  }

  termsOf(id: Hex): Terms {
    const terms = this.terms.get(id);
    if (terms === undefined) throw new Error(`${id} was never created`);
    return terms;
  }
}

const [CANCEL, FAILED, SUBPAID, SUBSCRIBED, UNSUBSCRIBED, FEEFILL] = [1, 3, 5, 6, 7, 8];

/** Indexes the chain of a history under a separate chain id, with every block. */
async function index(chainId: number) {
  const { client, contract } = context;
  const head = await client.getBlock();
  const found = await client.getLogs({ address: contract, fromBlock: 0n, toBlock: head.number });
  const logs = found.flatMap((log): IndexedLog[] => {
    const event = decodeProtocolEvent(log);
    const { logIndex, blockHash, transactionHash, data } = log;
    return event === null
      ? []
      : [{ blockNumber: Number(log.blockNumber), logIndex, blockHash, transactionHash, data, event }];
  });
  const terms = new Map<Hex, Terms>();
  const created = [];
  for (const { event, blockNumber } of logs) {
    if (event.event !== "SubLog" || event.code !== 0) continue;
    const record = await client.readContract({
      address: contract,
      abi: protocolAbi,
      functionName: "idSubMap",
      args: [event.id],
    });
    const [, , , , , frequency, dueDay] = record;
    // The contract's enumeration has four values.
    terms.set(event.id, {
      frequency: Number(frequency) as Frequency,
      dueDay: Number(dueDay),
      provider: event.provider,
    });
    created.push({ id: event.id, createdBlock: blockNumber, frequency: Number(frequency), dueDay: Number(dueDay) });
  }
  const blocks: IndexedBlock[] = [];
  for (let number = 0n; number <= head.number; number++) {
    const block = await client.getBlock({ blockNumber: number });
    blocks.push({ number: Number(number), hash: block.hash, timestamp: Number(block.timestamp) });
  }
  const checkpoint = { number: Number(head.number), hash: head.hash, timestamp: Number(head.timestamp) };
  await storeLogs(
    database,
    { chainId, contract },
    {
      after: null,
      checkpoint,
      blocks,
      logs,
      terms: created,
      tokens: [],
      headNumber: checkpoint.number,
      blocksPerSecond: null,
      confirmedAt: new Date(),
    },
  );
  return { logs, terms, blocks };
}

test(
  "entitlement equals what the rules give for the record, at every block of random histories",
  async () => {
    const met = new Map<string, number>();
    let chainId = 1_000;
    await fc.assert(
      fc.asyncProperty(arbitraryHistory, async (history) => {
        const { client, contract } = context;
        const snapshot = await client.snapshot();
        try {
          await playHistory(context, history, async () => {});
          const { logs, terms, blocks } = await index(++chainId);
          const record = new Record(terms);
          const pairs = new Map<string, Pair>();
          const byBlock = Map.groupBy(logs, ({ blockNumber }) => blockNumber);
          for (const block of blocks) {
            const inBlock = byBlock.get(block.number) ?? [];
            for (const [position, log] of inBlock.entries()) {
              const { from } = await client.getTransaction({ hash: log.transactionHash });
              record.apply(log, `0x${from.slice(2).toLowerCase()}`, inBlock[position - 1]);
              if (log.event.event === "SubLog" && !/^0x0+$/.test(log.event.subscriber)) {
                const { id, subscriber: account } = log.event;
                pairs.set(`${id} ${account}`, { id, account });
              }
            }
            if (inBlock.length === 0) continue;
            const nextUncheckedDay = await client.readContract({
              address: contract,
              abi: protocolAbi,
              functionName: "nextUncheckedDay",
              blockNumber: BigInt(block.number),
            });
            const at = { today: dayNumber(block.timestamp), nextUncheckedDay: Number(nextUncheckedDay) };
            for (const pair of pairs.values()) {
              const read = await readMembership(
                database,
                { chainId, contract },
                {
                  id: pair.id,
                  subscriber: pair.account,
                  atBlock: block.number,
                },
              );
              if (typeof read === "string" || read.value === null)
                throw new Error(`the index has no block ${block.number}`);
              const { entitled, state } = entitlementOf({ history: read.value, isPaused: false, ...at });
              expect({ ...pair, block: block.number, entitled, state }).toEqual({
                ...pair,
                block: block.number,
                ...record.expected(pair, at),
              } as never);
              met.set(state, (met.get(state) ?? 0) + 1);
            }
          }
        } finally {
          await client.revert({ id: snapshot });
        }
      }),
      { numRuns: HISTORIES, seed: testSeed, endOnFailure: true },
    );
    console.log(
      `${HISTORIES} histories of seed ${testSeed}: ${[...met].map(([state, count]) => `${state} ${count}`).join(", ")}`,
    );
    expect([...met.keys()]).toContain("past_due");
  },
  240_000 * testDepth,
);
