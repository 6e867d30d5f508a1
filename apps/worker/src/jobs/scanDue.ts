import { readApprovedTokens } from "@dueday/chain/reads/readApprovedTokens";
import { readDueDays } from "@dueday/chain/reads/readDueDays";
import { readProtocolState } from "@dueday/chain/reads/readProtocolState";
import { ApprovedTokens } from "@dueday/core/snapshots/approvedTokens";
import type { DueDay } from "@dueday/core/snapshots/dueDay";
import { readSettledDays } from "@dueday/db/queries/readSettledDays";
import { readSnapshots } from "@dueday/db/queries/readSnapshots";
import { writeSnapshots } from "@dueday/db/queries/writeSnapshots";
import { Value } from "@sinclair/typebox/value";
import { type Address, getAddress } from "viem";
import type { ChainContext } from "../context";
import { blockToScan } from "./blockToScan";
import type { JobRequest } from "./job";
import { scannedDays } from "./scannedDays";
import { snapshotRow } from "./snapshotRow";

/** The index follows the head as the scans do, and is rarely more than a moment behind. */
const INDEX_PATIENCE_MS = 2_000;

/** Reads the due lists of the scanned days, the protocol's figures and its tokens at one block, and writes their snapshots together. */
export async function scanDue(context: ChainContext, request: JobRequest): Promise<void> {
  const { chain, client, database, stateCache, onPlanAlarm, planCaller } = context;
  const block = await blockToScan(context, "protocol", request);
  if (block === null) return;
  const { contract } = chain;
  const protocol = await readProtocolState(client, { contract, block });
  const days = await readDueDays(client, {
    ...{ contract, days: scannedDays(block), block, from: planCaller, stateCache, onAlarm: onPlanAlarm },
    readSettled: (of, nextUncheckedDay) =>
      readSettledDays(
        database,
        { chainId: chain.chainId, contract, covered: context.covered },
        { days: of, nextUncheckedDay, block, patienceMs: INDEX_PATIENCE_MS },
      ),
  });
  const tokens = await readApprovedTokens(client, { contract, tokens: await knownTokens(context, days), block });
  await writeSnapshots(database, [
    snapshotRow(context, block, { kind: "protocol", payload: protocol }),
    snapshotRow(context, block, { kind: "tokens", payload: tokens }),
    ...days.map((day) => snapshotRow(context, block, { kind: "due", key: String(day.dayNumber), payload: day })),
  ]);
}

/** Approving a token emits no event (protocol part 2): candidates are those configured, those of the last snapshot, and those due. */
async function knownTokens({ chain, database }: ChainContext, days: readonly DueDay[]): Promise<Address[]> {
  const { chainId, contract } = chain;
  const [before] = await readSnapshots(database, { chainId, contract, kind: "tokens", keys: [""] });
  const stored = before === undefined ? [] : Value.Parse(ApprovedTokens, JSON.parse(before.payload)).tokens;
  const due = days.flatMap(({ totals }) => totals.byToken);
  const addresses = [...chain.tokens, ...stored.map(({ address }) => address), ...due.map(({ token }) => token)];
  return [...new Set(addresses.map((address) => getAddress(address)))];
}
