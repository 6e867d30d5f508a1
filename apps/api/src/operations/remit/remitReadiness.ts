import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { presentPermitPlan } from "@dueday/chain/permits/presentPermitPlan";
import { logPlanAlarm } from "@dueday/chain/remit/logPlanAlarm";
import { presentReadiness } from "@dueday/chain/remit/presentReadiness";
import type { SimulatedCall } from "@dueday/chain/simulate/parseSimulation";
import { Address } from "@dueday/core/schema";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { Type } from "@sinclair/typebox";
import { getAddress, type Address as HexAddress } from "viem";
import { signer } from "../../operation/addressFaults";
import { answerLive, answerUnindexed } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { chainRead } from "../../operation/chainRead";
import type { Context } from "../../operation/context";
import { defineOperation, inBody, inQuery } from "../../operation/defineOperation";
import { detailInBody, detailInQuery } from "../../operation/detail";
import type { SnapshotView } from "../../snapshots/snapshotView";
import { compareWithServed } from "./compareWithServed";
import { permitPlanOf } from "./permitPlanOf";
import { readKeptPermits } from "./readKeptPermits";

const from = Type.Optional({
  ...Address,
  ...signer,
  description: "The keeper that would call remit(). Default: an address without tokens",
});

type Input = { from?: string };

const servedPlan: SnapshotView = { kind: "readiness", key: "", variant: "readiness", present: (plan) => plan };

/** What the check and its cacheable form have in common: everything but how a client calls them. */
const remitReadiness = {
  description:
    "What calling remit() again and again would do now: the days it settles, the transactions it takes (pages of at most maxRemits " +
    "payments), the payments that will fail, what the caller earns and what it costs, and how it ends. ready is false when nothing " +
    "is due, or when the first call would revert; reason and issues give the cause. missed lists due subscriptions that the " +
    "protocol's paging leaves uncharged. With from the plan is simulated live for that caller: gas differs, " +
    "totals.byToken is mostly absent, and permits names kept permits that would save payments of it, with the plan after them in afterPermits.",
  ...chainRead,
  area: "remit",
  toolsets: ["read", "keeper"],
  errors: ["NOT_INDEXED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  summarized: {
    omits: [
      "days",
      "plan.transactions",
      ...["economics.callerFees", "totals.byToken"].flatMap((amounts) =>
        ["token", "amountRaw", "tokenDecimals"].map((name) => `${amounts}.${name}`),
      ),
      "permits",
      "afterPermits",
    ],
  },
  output: chainAnswer(RemitReadiness.properties),
  deadlineMs: 30_000,
  snapshot: (_context: unknown, input: Input) => (input.from === undefined ? servedPlan : null),
  async handler(context: Context, input: Input) {
    const { planCaller } = context.service.config;
    if (input.from === undefined) {
      return answerUnindexed(context, "readiness", (client, block) =>
        readAnswer(context, client, { from: planCaller, block }),
      );
    }
    const from = getAddress(input.from);
    return answerLive(context, (client, block) => readAnswer(context, client, { from, block }));
  },
} as const;

export const getRemitReadiness = defineOperation({
  ...remitReadiness,
  name: "get_remit_readiness",
  http: { method: "GET", path: "/remit/readiness" },
  summary: "Whether remit() has work, and the plan: cacheable, for keepers that poll with If-None-Match",
  forAgents:
    "Whether payments are due now, the plan, what it earns and what its gas costs: from the last scan, cheap. Start here. check_remit_readiness simulates it live for your wallet",
  bucket: "cheap",
  input: Type.Object({ from: inQuery(from), ...detailInQuery }),
  example: {},
});

export const checkRemitReadiness = defineOperation({
  ...remitReadiness,
  name: "check_remit_readiness",
  answersLike: "get_remit_readiness",
  http: { method: "POST", path: "/check_remit_readiness" },
  summary: "Multi-day scan before remit: whether it has work, and the plan",
  forAgents:
    "As get_remit_readiness, but simulated live for the wallet in from, which costs a write: use it for exact gas. prepare_remit contains it",
  bucket: "write",
  input: Type.Object({ from: inBody(from), ...detailInBody }),
  example: {},
});

async function readAnswer(...parameters: Parameters<typeof readReadiness>): Promise<RemitReadiness> {
  return (await readReadiness(...parameters)).readiness;
}

/**
 * Live readiness for one caller, with what kept permits would change, and the caller's next remit() where it was simulated separately. The
 * model runs only where the simulation leaves a question open, or permits are kept, because the request waits for the model.
 */
export async function readReadiness(
  context: Context,
  client: ChainClient,
  { from, block }: { from: HexAddress; block: ChainBlock },
): Promise<{ readiness: RemitReadiness; next: SimulatedCall | null }> {
  const { chain, logger } = context;
  const kept = readKeptPermits(context);
  const hasPermits = await kept.hasAny();
  const { facts, next } = await chain.sharedReadiness.read(client, {
    contract: chain.config.contract,
    from,
    block,
    stateCache: chain.remitState,
    model: hasPermits ? "always" : "where_needed",
    onAlarm: (alarm) => logPlanAlarm(logger, alarm),
  });
  const readiness = presentReadiness(facts);
  compareWithServed(context, block, { totals: readiness.totals, end: readiness.plan.end });
  const { plan } = facts;
  const after = hasPermits ? await permitPlanOf(context, client, { kept, from, block, plan }) : null;
  const warnings = [...readiness.warnings, ...kept.warnings()];
  return { readiness: { ...readiness, ...presentPermitPlan(facts, after), warnings }, next };
}
