import type { Decision } from "../decide/decide";

/**
 * Why a round ended. `done`: all of the plan is mined. `decided`: the rest is not worth it, or not possible. `overtaken`, `lost`:
 * another keeper was faster, before or after this one had sent. `unexplained`: a transaction settled nothing or too little, and no other
 * keeper was faster. `changed`: the plan is out of date. `disagrees`: the keeper's own node simulates something else than the plan.
 * `failed`: a transaction was refused, or not mined in time.
 */
export type RoundEnd =
  | { why: "done" }
  | { why: "decided"; decision: Exclude<Decision, { action: "send" }> }
  | { why: "overtaken" | "lost" | "unexplained" | "changed" | "disagrees" | "failed" | "out_of_gas"; text: string };

export const overtaken: RoundEnd = { why: "overtaken", text: "another keeper settles this backlog" };
