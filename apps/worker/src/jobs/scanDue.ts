import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { openDueDays } from "@dueday/chain/due/readDueDays";
import { readApprovedTokens } from "@dueday/chain/reads/readApprovedTokens";
import { readProtocolState } from "@dueday/chain/reads/readProtocolState";
import { openBook } from "@dueday/chain/remit/state/openBook";
import type { Plan } from "@dueday/core/remit/plan";
import { cutDueDay } from "@dueday/db/duePages/cutDueDay";
import { writeDuePages } from "@dueday/db/duePages/writeDuePages";
import { readSettledDays } from "@dueday/db/history/readSettledDays";
import { readSnapshotContents } from "@dueday/db/snapshots/readSnapshotContents";
import { renewSnapshots } from "@dueday/db/snapshots/renewSnapshots";
import type { NewSnapshot } from "@dueday/db/snapshots/writeSnapshots";
import type { ChainContext } from "../context";
import { blockToScan } from "./blockToScan";
import type { JobRequest } from "./job";
import { knownTokens } from "./knownTokens";
import { scannedDays } from "./scannedDays";
import { snapshotRow } from "./snapshotRow";

/** The index follows the head as the scans do, and is rarely more than a moment behind. */
const INDEX_PATIENCE_MS = 2_000;

/**
 * Reads the due lists of the scanned days, the protocol's figures and its tokens at one block, and writes their snapshots together, after the
 * pages of the days that have changed. Days are read one at a time, because all days of a large book would fill the memory.
 */
export async function scanDue(context: ChainContext, request: JobRequest): Promise<void> {
  const { chain, client, database, stateCache, progress, onPlanAlarm, planCaller } = context;
  const block = await blockToScan(context, "protocol", request);
  if (block === null) return;
  const { contract } = chain;
  const protocol = await readProtocolState(client, { contract, block });
  const days = scannedDays(block);
  const dayOf = await openDueDays(client, {
    contract,
    days,
    block,
    from: planCaller,
    stateCache,
    onAlarm: onPlanAlarm,
    plan: takePlan(context, block),
    readSettled: (of, nextUncheckedDay) =>
      readSettledDays(
        database,
        { chainId: chain.chainId, contract, covered: context.covered },
        { days: of, nextUncheckedDay, block, patienceMs: INDEX_PATIENCE_MS },
      ),
  });
  const contents = await readSnapshotContents(database, chain);
  const stored = new Set(contents.filter(({ kind }) => kind === "due").map(({ key, hash }) => `${key} ${hash}`));
  const rows: NewSnapshot[] = [];
  const named = new Set<string>();
  for (const day of days) {
    progress.check();
    const { head, pages } = cutDueDay(await dayOf(day));
    const row = snapshotRow(context, block, { kind: "due", key: String(day), payload: head });
    if (!stored.has(`${row.key} ${row.hash}`)) await writeDuePages(database, chain, pages);
    rows.push(row);
    for (const { token } of head.totals.byToken) named.add(token);
  }
  const tokens = await readApprovedTokens(client, { contract, tokens: await knownTokens(context, [...named]), block });
  await renewSnapshots(database, [
    snapshotRow(context, block, { kind: "protocol", payload: protocol }),
    snapshotRow(context, block, { kind: "tokens", payload: tokens }),
    ...rows,
  ]);
  const state = stateCache.stateOf(block);
  context.scans.due = { block, book: state && openBook(block, state) };
}

/** The plan that `scan_remit` has made at the same block, so that it is not made again; null where there is none. */
function takePlan({ scans }: ChainContext, block: ChainBlock): Plan | null {
  if (scans.plan === null || scans.plan.block.hash !== block.hash) return null;
  const { whole } = scans.plan;
  scans.plan.whole = null;
  return whole;
}
