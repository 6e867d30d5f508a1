import { Address } from "@dueday/core/schema";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerLive, answerUnindexed } from "../../chains/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import type { Context } from "../../operation/context";
import type { SnapshotView } from "../../snapshots/snapshotView";
import { readReadiness } from "./readReadiness";

/** The caller in question; the path it comes by is the operation's. */
export const readinessFrom = Type.Optional({
  ...Address,
  description: "The keeper that would call remit(). Without it the plan is made for an address without tokens",
});

type Input = { from?: string };

const description =
  "What calling remit() again and again would do now: the days it settles, the transactions it takes (pages of at most maxRemits " +
  "payments), the payments that will fail, what the caller earns and what it costs, and how it ends. ready is false when nothing " +
  "is due, or when the first call would revert; reason and issues say why. missed lists due subscriptions that the protocol's " +
  "paging leaves uncharged. With from the plan is simulated live for that caller: only gas differs.";

const servedPlan: SnapshotView = { kind: "readiness", key: "", variant: "readiness", present: (plan) => plan };

/** What the scan and its cacheable twin have in common: all but the way they are asked. */
export const remitReadiness = {
  description,
  chainScoped: true,
  area: "remit",
  toolsets: ["read", "keeper"],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["NOT_INDEXED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  output: chainAnswer(RemitReadiness.properties),
  deadlineMs: 30_000,
  snapshot: (_context: unknown, input: Input) => (input.from === undefined ? servedPlan : null),
  async handler(context: Context, input: Input) {
    const { planCaller } = context.service.config;
    if (input.from === undefined) {
      return answerUnindexed(context, "readiness", (client, block) =>
        readReadiness(context, client, { from: planCaller, block }),
      );
    }
    const from = getAddress(input.from);
    return answerLive(context, (client, block) => readReadiness(context, client, { from, block }));
  },
} as const;
