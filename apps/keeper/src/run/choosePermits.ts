import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { type Address, getAddress } from "viem";
import type { PermitDesk } from "../permits/permitDesk";
import type { PermitCall } from "../permits/permitNode";
import { type Judgement, type JudgingChain, MOST_REMITS, openJudge } from "./judgePermits";

/** Permits sent in one round at most; the next round may send others. */
const MOST_PERMITS = 6;

/** Permits that pay for themselves. */
export type ChosenPermits = {
  permits: readonly PermitCall[];
  /** Of each permit, as it was simulated. */
  gas: readonly bigint[];
  /** How many calls of remit() were simulated after them. */
  remits: number;
};

const noPermits: ChosenPermits = { permits: [], gas: [], remits: 0 };

/**
 * The kept permits whose saved fees pay for their gas, as the keeper's own node simulates them. A permit is added if the best part of the
 * plan then earns more than without it. There is none where the plan is not worth sending with them. Null where no node can simulate the plan.
 * What the API proposes decides only which permits are tried.
 *
 * @throws KeeperError UNREACHABLE
 */
export async function choosePermits(
  chain: JudgingChain,
  desk: PermitDesk,
  readiness: RemitReadiness,
  lostWei: bigint,
): Promise<ChosenPermits | null> {
  const wanted = (readiness.permits ?? []).filter(
    ({ id, saves }) => !desk.failed.has(id) && (saves[0]?.transaction ?? MOST_REMITS) < MOST_REMITS,
  );
  if (wanted.length === 0) return noPermits;
  const calls = await callsOf(desk, wanted);
  if (calls.length === 0) return noPermits;
  const last = Math.max(...wanted.map(({ saves }) => saves[0]?.transaction ?? 0));
  const remits = last + 1;
  const judge = await openJudge(chain, { readiness, node: desk.node, remits, earnedWei: 0n, lostWei });
  let best = await judge([]);
  if (best === null) return null;
  for (const call of calls) {
    const judged = await judge([...best.permits, call]);
    if (judged !== null && judged.worthWei > best.worthWei) best = judged;
    if (best.permits.length === MOST_PERMITS) break;
  }
  return isSent(best) ? { permits: best.permits, gas: best.simulation.permits, remits } : noPermits;
}

/** Whether permits are worth it: the best part of the plan has to contain a remit() after them. */
export function isSent({ permits, decision }: Judgement): boolean {
  return permits.length > 0 && decision.action === "send" && decision.count > permits.length;
}

/**
 * The transactions of the proposed permits, in the plan's order. Permits without a signature from the API are left out.
 */
async function callsOf(desk: PermitDesk, wanted: NonNullable<RemitReadiness["permits"]>): Promise<PermitCall[]> {
  const tried = wanted.slice(0, 2 * MOST_PERMITS);
  const byToken = Map.groupBy(tried, ({ token }) => getAddress(token));
  const read = ([token, permits]: [Address, typeof tried]) =>
    desk.read({ token, owners: permits.map(({ owner }) => getAddress(owner)) });
  const signed = new Map((await Promise.all([...byToken].map(read))).flat().map((permit) => [permit.id, permit]));
  const calls: PermitCall[] = [];
  for (const { id } of tried) {
    const permit = signed.get(id);
    const call = permit === undefined ? null : await desk.node.callOf(permit);
    if (call !== null) calls.push(call);
  }
  return calls;
}
