import { prepareRemit as prepareRemitTransaction } from "@dueday/chain/prepare/prepareRemit";
import { identified } from "@dueday/chain/prepare/prepareTransactions";
import type { Warning } from "@dueday/core/errors";
import { remitAnswer } from "@dueday/core/schemas/prepareAnswer";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { isOutdated } from "../../health/isOutdated";
import { answerLive } from "../../operation/answerLive";
import type { Context } from "../../operation/context";
import { defineOperation } from "../../operation/defineOperation";
import { provenAt } from "../../snapshots/snapshotCache";
import { prepareInput, summarizedRemit } from "../prepare/prepareInput";
import { readReadiness } from "./remitReadiness";

const NAME = "prepare_remit";

export const prepareRemit = defineOperation({
  name: NAME,
  http: { method: "POST", path: "/prepare/remit" },
  summary: "Unsigned remit() transaction that settles the next due day or page of it",
  forAgents:
    "The next unsigned remit() transaction. preflight has the whole backlog, so readiness is needed once only: sign, wait for the status, call again until NOT_READY",
  description:
    "Simulates remit() for the wallet that will sign, on the latest block and never from a snapshot, and returns it unsigned. One " +
    "remit() settles one day that has something due, or a page of at most maxRemits payments: sign, broadcast, and prepare again " +
    "until caught up; gasSummary has the whole backlog. 409 NOT_READY when there is nothing to settle, 422 SIMULATION_FAILED with " +
    "the decoded revert when the call is blocked. preflight is the answer of check_remit_readiness for this wallet.",
  chainScoped: true,
  bucket: "write",
  area: "remit",
  toolsets: ["keeper"],
  annotations: { readOnlyHint: true, openWorldHint: true },
  errors: ["NOT_READY", "SIMULATION_FAILED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object(prepareInput),
  summarized: summarizedRemit,
  output: remitAnswer(RemitReadiness),
  example: { from: "0x1111111111111111111111111111111111111111" },
  deadlineMs: 30_000,
  async handler(context, input) {
    const chain = context.chain.config;
    const from = getAddress(input.from);
    const answer = await answerLive(context, async (client, block) => {
      const { readiness: preflight, next } = await readReadiness(context, client, { from, block });
      const warnings = staleSnapshotWarning(context);
      return prepareRemitTransaction(client, { ...input, operation: NAME, chain, block, preflight, next, warnings });
    });
    return identified(context.requestId, answer);
  },
});

/** Warns a keeper that the plan it polls is out of date, since the worker may be down. Empty while the plan is fresh. */
function staleSnapshotWarning({ chain, clock, service }: Context): Warning[] {
  const plan = chain.snapshots.get("readiness");
  if (plan === null) return [];
  const limit = { now: clock(), staleAfterMs: service.config.staleAfterMs };
  if (!plan.orphaned && !isOutdated(provenAt(plan), limit)) return [];
  const message =
    "The plan that is served to those who poll is stale: the service has not renewed it in time. This answer is live and not affected.";
  return [{ code: "STALE_SNAPSHOT", message }];
}
