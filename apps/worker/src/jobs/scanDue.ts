import { readDueDays } from "@dueday/chain/due/readDueDays";
import { readApprovedTokens } from "@dueday/chain/reads/readApprovedTokens";
import { readProtocolState } from "@dueday/chain/reads/readProtocolState";
import { readSettledDays } from "@dueday/db/history/readSettledDays";
import { renewSnapshots } from "@dueday/db/snapshots/renewSnapshots";
import type { ChainContext } from "../context";
import { blockToScan } from "./blockToScan";
import type { JobRequest } from "./job";
import { knownTokens } from "./knownTokens";
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
    contract,
    days: scannedDays(block),
    block,
    from: planCaller,
    stateCache,
    onAlarm: onPlanAlarm,
    readSettled: (of, nextUncheckedDay) =>
      readSettledDays(
        database,
        { chainId: chain.chainId, contract, covered: context.covered },
        { days: of, nextUncheckedDay, block, patienceMs: INDEX_PATIENCE_MS },
      ),
  });
  const named = days.flatMap(({ totals }) => totals.byToken.map(({ token }) => token));
  const tokens = await readApprovedTokens(client, { contract, tokens: await knownTokens(context, named), block });
  await renewSnapshots(database, [
    snapshotRow(context, block, { kind: "protocol", payload: protocol }),
    snapshotRow(context, block, { kind: "tokens", payload: tokens }),
    ...days.map((day) => snapshotRow(context, block, { kind: "due", key: String(day.dayNumber), payload: day })),
  ]);
  context.scans.due = { block, book: stateCache.bookOf(block) };
}
