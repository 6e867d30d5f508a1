import { readRemitReadiness } from "@dueday/chain/remit/readRemitReadiness";
import { Address } from "@dueday/core/schema";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerLive, answerUnindexed } from "../../chain/answerLive";
import type { RequestContext } from "../../context";
import { defineOperation, inBody, inQuery } from "../../operation";
import { chainAnswer } from "../../schema/chainAnswer";
import type { SnapshotView } from "../../snapshots/snapshotView";

export const RemitReadinessAnswer = chainAnswer(RemitReadiness.properties);

const from = Type.Optional({
  ...Address,
  description: "The keeper that would call remit(). Without it the plan is made for an address without tokens",
});

const description =
  "What calling remit() again and again would do now: the days it settles, the transactions it takes (pages of at most maxRemits " +
  "payments), the payments that will fail, what the caller earns and what it costs, and how it ends. ready is false when nothing " +
  "is due, or when the first call would revert; reason and issues say why. missed lists due subscriptions that the protocol's " +
  "paging leaves uncharged. With from the plan is simulated live for that caller: only gas differs.";

const common = {
  description,
  chainScoped: true,
  toolset: "remit",
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["NOT_INDEXED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  output: RemitReadinessAnswer,
  deadlineMs: 30_000,
  snapshot: (_context: unknown, input: { from?: string }) => (input.from === undefined ? servedPlan : null),
} as const;

const servedPlan: SnapshotView = { kind: "readiness", key: "", variant: "readiness", present: (plan) => plan };

export const getRemitReadiness = defineOperation({
  ...common,
  name: "get_remit_readiness",
  http: { method: "GET", path: "/remit/readiness" },
  summary: "Whether remit() has work, and the plan: cacheable, for keepers that poll with If-None-Match",
  bucket: "cheap",
  input: Type.Object({ from: inQuery(from) }),
  example: {},
  handler: readinessOf,
});

export const checkRemitReadiness = defineOperation({
  ...common,
  name: "check_remit_readiness",
  http: { method: "POST", path: "/check_remit_readiness" },
  summary: "Multi-day scan before remit: whether it has work, and the plan",
  bucket: "write",
  input: Type.Object({ from: inBody(from) }),
  example: {},
  handler: readinessOf,
});

async function readinessOf(context: RequestContext, input: { from?: string }) {
  const { contract } = context.chain.config;
  const { planCaller } = context.service.config;
  if (input.from === undefined) {
    return answerUnindexed(context, "readiness", (client, block) =>
      readRemitReadiness(client, { contract, from: planCaller, block }),
    );
  }
  const caller = getAddress(input.from);
  return answerLive(context, (client, block) => readRemitReadiness(client, { contract, from: caller, block }));
}
