import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { feesText, table } from "./planText";

/** Which permits are sent before the plan, by their ids, with the gas of each; null without an API key, the keeper's key or a node that can simulate the plan. */
export type SentPermitGas = ReadonlyMap<string, bigint> | null;

const SHOWN = 20;

/** The kept permits that would save payments of a plan, and which of them the keeper would submit. For a dry run. */
export function permitsTable({ permits = [] }: RemitReadiness, sent: SentPermitGas): string[] {
  if (permits.length === 0) return [];
  const rows = permits.slice(0, SHOWN).map(({ id, payments, callerFee }) => {
    const gas = sent?.get(id);
    return [
      gas === undefined ? "-" : "send",
      id,
      String(payments),
      gas === undefined ? "" : String(gas),
      feesText([callerFee]),
    ];
  });
  const hidden = permits.length - rows.length;
  return [
    "kept permits that save payments",
    ...table([["", "permit", "saves", "gas", "earns more"], ...rows]),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    sent === null
      ? "not judged: that needs an API key, a node that can simulate, and the key of the keeper"
      : `verdict: ${sent.size} of ${permits.length} are submitted first: those that a simulation shows to pay for themselves`,
    "",
  ];
}
