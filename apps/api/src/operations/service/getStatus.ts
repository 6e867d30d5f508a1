import { IntegerString, Nullable } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import type { ServedChain } from "../../chains/servedChain";
import { Check } from "../../check";
import { IndexProgress, readIndexProgress } from "../../history/indexProgress";
import { type AgeLimit, isOutdated } from "../../isOutdated";
import type { Context } from "../../operation/context";
import { defineOperation } from "../../operation/defineOperation";
import { provenAt, type SnapshotCache } from "../../snapshots/snapshotCache";

const RpcUsage = Type.Array(
  Type.Object({
    purpose: Type.String(),
    method: Type.String(),
    callsPerMinute: Type.Number(),
    computeUnitsPerMinute: Type.Number(),
  }),
  { description: "What this process sends to the chain's nodes, on average over the last five minutes" },
);

const ChainStatus = Type.Object({
  chainId: Type.Integer(),
  rpc: Check,
  headBlock: Nullable(IntegerString),
  indexedBlock: Nullable(IntegerString),
  lagSeconds: Nullable(
    Type.Integer({ description: "Between the newest block seen and the block of the newest snapshot" }),
  ),
  lastScanAt: Nullable(Type.String({ format: "date-time" })),
  eventIndex: Type.Optional(IndexProgress),
  rpcUsage: Type.Optional(RpcUsage),
  reason: Type.Optional(Type.String({ description: "Why snapshots or events of this chain are missing or old" })),
});

const OK = { status: "ok" as const };

export const getStatus = defineOperation({
  name: "get_status",
  http: { method: "GET", path: "/status" },
  summary: "Lightweight health check",
  description:
    "ok: everything works. degraded: a part fails or is behind and the rest serves; checks has the reasons. down (503): no chain " +
    "can be served, neither from memory nor from its node.",
  chainScoped: false,
  bucket: "unlimited",
  area: "service",
  toolsets: [],
  annotations: { readOnlyHint: true, idempotentHint: true },
  errors: [],
  input: Type.Object({}),
  output: Type.Object({
    status: Type.Union([Type.Literal("ok"), Type.Literal("degraded"), Type.Literal("down")]),
    version: Type.String(),
    uptimeSeconds: Type.Integer({ minimum: 0 }),
    checks: Type.Object({ database: Check, queue: Check, limiter: Check, chains: Type.Array(ChainStatus) }),
  }),
  example: {},
  exampleAnswer: ({ version, config }) => ({
    status: "ok" as const,
    version,
    uptimeSeconds: 86_400,
    checks: {
      database: OK,
      queue: { status: "off" as const, reason: "this process uses no queue" },
      limiter: OK,
      chains: [
        {
          chainId: config.defaultRestChainId,
          rpc: OK,
          ...{ headBlock: "38200000", indexedBlock: "38199999", lagSeconds: 2, lastScanAt: "2026-03-31T08:00:00.000Z" },
        },
      ],
    },
  }),
  statuses: [200, 503],
  status: ({ status }) => (status === "down" ? 503 : 200),
  async handler(context) {
    const { service, clock } = context;
    const chains = await Promise.all([...service.chains.values()].map((chain) => chainStatus(context, chain)));
    const { database, queue, limiter } = service.checks();
    const parts = [database, queue, limiter, ...chains.map((chain) => chain.rpc)];
    const faulty = parts.some(({ status }) => status === "down" || status === "degraded");
    const served = chains.some((chain) => chain.rpc.status !== "down" || chain.indexedBlock !== null);
    const late = chains.some((chain) => chain.reason !== undefined);
    return {
      status: !served ? ("down" as const) : faulty || late ? ("degraded" as const) : ("ok" as const),
      version: service.version,
      uptimeSeconds: Math.floor((clock() - service.startedAt) / 1000),
      checks: { database, queue, limiter, chains },
    };
  },
});

async function chainStatus(
  { clock, database, service: { config } }: Context,
  { config: { chainId, contract, finalityBlocks, startBlock }, client, monitor, covered, snapshots }: ServedChain,
) {
  const limits = { now: clock(), staleAfterMs: config.staleAfterMs, finalityBlocks, startBlock };
  const refusal = snapshots.refusal();
  const index =
    refusal === null ? await readIndexProgress(database, { chainId, contract, covered: covered.latest }, limits) : {};
  const head = monitor.head();
  const newest = snapshots.newest();
  const reasons = refusal === null ? [reasonForOld(snapshots, limits), unreadable(snapshots), index.reason] : [refusal];
  const reason = reasons.filter((each) => each !== undefined).join("; ");
  return {
    chainId,
    rpc: monitor.check(),
    headBlock: head?.number.toString() ?? null,
    indexedBlock: newest?.stamp.blockNumber ?? null,
    lagSeconds:
      head === null || newest === null ? null : Math.max(0, Number(head.timestamp) - newest.stamp.blockTimestamp),
    lastScanAt: newest === null ? null : new Date(provenAt(newest)).toISOString(),
    ...(index.progress === undefined ? {} : { eventIndex: index.progress }),
    rpcUsage: client.endpoints.usage().map(({ bytesPerMinute: _, ...row }) => row),
    ...(reason === "" ? {} : { reason }),
  };
}

function reasonForOld(snapshots: SnapshotCache, limit: AgeLimit): string | undefined {
  const newest = snapshots.newest();
  if (newest === null) return "not scanned yet: is the worker running?";
  if (!isOutdated(provenAt(newest), limit)) return undefined;
  if (provenAt(newest) > limit.now) return "the newest scan is dated in the future: check the clocks of worker and API";
  return "no scan within STALE_AFTER_MS: is the worker running?";
}

function unreadable(snapshots: SnapshotCache): string | undefined {
  const names = snapshots.unreadable();
  if (names.length === 0) return undefined;
  return `these snapshots in the database cannot be read, and the next scan replaces them: ${names.join(", ")}`;
}
