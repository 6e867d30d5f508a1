import { blockStamp } from "@dueday/chain/block/blockStamp";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { readDueDays } from "@dueday/chain/due/readDueDays";
import { readApprovedTokens } from "@dueday/chain/reads/readApprovedTokens";
import { readProtocolState } from "@dueday/chain/reads/readProtocolState";
import type { PlanAlarm } from "@dueday/chain/remit/planBacklog";
import { readRemitReadiness } from "@dueday/chain/remit/readRemitReadiness";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { SnapshotKind } from "@dueday/core/snapshots/snapshot";
import type { Database } from "@dueday/db/connectDatabase";
import { cutDueDay } from "@dueday/db/duePages/cutDueDay";
import { writeDuePages } from "@dueday/db/duePages/writeDuePages";
import { writeSnapshots } from "@dueday/db/snapshots/writeSnapshots";
import type { Address } from "viem";
import { TEST_CHAIN_ID } from "./startTestApi";

export type TestScan = {
  database: Database;
  client: ChainClient;
  contract: Address;
  /** None by default. */
  tokens?: readonly Address[];
  computedAt: Date;
};

const CALLER: Address = "0x00000000000000000000000000000000D0eDA700";
const DAYS_AHEAD = 3;

/** Writes what a worker would: the protocol, its tokens, today's and the next due lists, the plan. */
export async function writeTestSnapshots({
  database,
  client,
  contract,
  tokens = [],
  computedAt,
}: TestScan): Promise<void> {
  const block = await pinBlock(client);
  const today = dayNumber(block.timestamp);
  const planning = {
    from: CALLER,
    block,
    stateCache: createRemitStateCache(contract),
    onAlarm(alarm: PlanAlarm) {
      throw new Error(`the plan of the test snapshots raises an alarm: ${alarm.kind}`);
    },
  };
  const days = await readDueDays(client, {
    contract,
    days: Array.from({ length: DAYS_AHEAD }, (_, index) => today + index),
    ...planning,
  });
  const due = days.map(cutDueDay);
  for (const { pages } of due) await writeDuePages(database, { chainId: TEST_CHAIN_ID, contract }, pages);
  const readiness = await readRemitReadiness(client, { ...planning, contract, model: "always" });
  const payloads: { kind: SnapshotKind; key: string; payload: object }[] = [
    { kind: "protocol", key: "", payload: await readProtocolState(client, { contract, block }) },
    { kind: "tokens", key: "", payload: await readApprovedTokens(client, { contract, tokens, block }) },
    { kind: "readiness", key: "", payload: readiness },
    ...due.map(({ head }) => ({ kind: "due" as const, key: String(head.dayNumber), payload: head })),
  ];
  const { blockHash, blockTimestamp, timestampMs = null } = blockStamp(block);
  await writeSnapshots(
    database,
    payloads.map(({ kind, key, payload }) => {
      const text = JSON.stringify(payload);
      const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
      const stamp = { blockNumber: block.number, blockHash, blockTimestamp, blockTimestampMs: timestampMs, computedAt };
      return { chainId: TEST_CHAIN_ID, contract, kind, key, ...stamp, payload: text, hash };
    }),
  );
}
