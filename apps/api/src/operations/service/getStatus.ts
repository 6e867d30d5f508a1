import { LIST_LIMIT } from "@dueday/core/paging";
import {
  ChainId,
  Count,
  described,
  Instant,
  IntegerString,
  Nullable,
  oneOf,
  Sentence,
  ShortText,
} from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import type { ServedChain } from "../../chains/servedChain";
import { Check } from "../../health/check";
import { causes, findCause } from "../../health/findCause";
import { type AgeLimit, isDatedAhead, isOutdated } from "../../health/isOutdated";
import { QueueCheck, RunningScan } from "../../health/queueCheck";
import { IndexProgress, readIndexProgress } from "../../history/indexProgress";
import type { Context } from "../../operation/context";
import { defineOperation } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { provenAt, type SnapshotCache } from "../../snapshots/snapshotCache";

/** A rate per second or minute, or a number of seconds. */
const Rate = Type.Number({ minimum: 0, maximum: 1e15 });

const RpcUsage = Type.Array(
  Type.Object({
    purpose: ShortText,
    method: ShortText,
    callsPerMinute: Rate,
    computeUnitsPerMinute: Rate,
  }),
  {
    maxItems: LIST_LIMIT,
    description: "What this process sends to the chain's nodes, on average over the last five minutes",
  },
);

const ChainStatus = Type.Object({
  chainId: ChainId,
  rpc: Check,
  headBlock: Nullable(IntegerString),
  indexedBlock: Nullable(IntegerString),
  lagSeconds: Nullable(described(Count, "Between the newest block seen and the block of the newest snapshot")),
  lastScanAt: Nullable(Instant),
  scan: Type.Optional(RunningScan),
  headAgeSeconds: Nullable(
    described(Rate, "Since the newest block changed, as this process saw it; null before the first"),
  ),
  usualHeadAgeSeconds: Nullable(
    described(Rate, "The longest time between two changes lately; null before there were some"),
  ),
  eventIndex: Type.Optional(IndexProgress),
  rpcUsage: Type.Optional(RpcUsage),
  cause: Type.Optional(
    oneOf(
      causes,
      "What has to be repaired. The causes are tried in the order of this list; it is the first that explains what is missing or old",
    ),
  ),
  reason: Type.Optional(described(Sentence, "Why snapshots or events of this chain are missing or old")),
});

const OK = { status: "ok" as const };

export const getStatus = defineOperation({
  name: "get_status",
  http: { method: "GET", path: "/status" },
  summary: "Lightweight health check",
  forAgents:
    "Whether the service works: its database and workers, and of each chain the node and the age of its data, with causes",
  description:
    "ok: everything works. degraded: a part fails or is behind and the rest serves; checks has the reasons. down (503): no chain " +
    "can be served, neither from memory nor from its node.",
  chainScoped: false,
  bucket: "unlimited",
  mcpBucket: "cheap",
  area: "service",
  toolsets: ["read"],
  annotations: { readOnlyHint: true, idempotentHint: true },
  errors: [],
  input: Type.Object({ ...detailInQuery }),
  summarized: {
    omits: ["scan", "headAgeSeconds", "usualHeadAgeSeconds", "eventIndex", "rpcUsage"].map(
      (name) => `checks.chains.${name}`,
    ),
  },
  output: Type.Object({
    status: Type.Union([Type.Literal("ok"), Type.Literal("degraded"), Type.Literal("down")]),
    version: ShortText,
    uptimeSeconds: Count,
    checks: Type.Object({
      database: Check,
      queue: QueueCheck,
      limiter: Check,
      chains: Type.Array(ChainStatus, { maxItems: 1_000 }),
    }),
  }),
  example: {},
  exampleAnswer: ({ version, config }) => ({
    status: "ok" as const,
    version,
    uptimeSeconds: 86_400,
    checks: {
      database: OK,
      queue: {
        status: "ok" as const,
        kind: "bullmq" as const,
        workers: 2,
        depth: 0,
        active: 0,
        oldestSeconds: null,
        redis: OK,
      },
      limiter: OK,
      chains: [
        {
          chainId: config.defaultRestChainId,
          rpc: OK,
          headBlock: "38200000",
          indexedBlock: "38199999",
          lagSeconds: 2,
          lastScanAt: "2026-03-31T08:00:00.000Z",
          headAgeSeconds: 0.4,
          usualHeadAgeSeconds: 2.1,
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
    const late = chains.some((chain) => "reason" in chain);
    return {
      status: !served ? ("down" as const) : faulty || late ? ("degraded" as const) : ("ok" as const),
      version: service.version,
      uptimeSeconds: Math.floor((clock() - service.startedAt) / 1000),
      checks: { database, queue, limiter, chains },
    };
  },
});

async function chainStatus({ clock, database, service }: Context, chain: ServedChain) {
  const { config, client, monitor, covered, snapshots } = chain;
  const { chainId, contract, startBlock, maxClockAheadSeconds } = config;
  const head = monitor.head();
  const limits = { now: clock(), staleAfterMs: service.config.staleAfterMs, startBlock, head };
  const refusal = snapshots.refusal();
  const index =
    refusal === null ? await readIndexProgress(database, { chainId, contract, covered: covered.latest }, limits) : {};
  const newest = snapshots.newest();
  const headAge = monitor.headAge();
  const rpc = monitor.check();
  const scan = service.scanOf(chainId);
  const checks = service.checks();
  const symptoms = [reasonForOld(snapshots, limits), unreadable(snapshots), index.reason].flatMap((each) => each ?? []);
  const found = findCause({
    symptoms: refusal === null ? symptoms : [refusal],
    isDatedAhead: [newest === null ? undefined : provenAt(newest), index.confirmedAt].some(
      (at) => at !== undefined && isDatedAhead(at, limits),
    ),
    databaseIsAway: checks.database.status === "down",
    nodeFault: rpc.status === "down" ? (rpc.reason ?? "it does not answer") : null,
    headAge,
    blockAgeSeconds: head === null || maxClockAheadSeconds === null ? null : limits.now / 1000 - Number(head.timestamp),
    workers: checks.queue.workers,
  });
  return {
    chainId,
    rpc: headAge?.isStopped === true && rpc.status === "ok" ? { status: "degraded" as const, reason: STOPPED } : rpc,
    headBlock: head?.number.toString() ?? null,
    indexedBlock: newest?.stamp.blockNumber ?? null,
    lagSeconds:
      head === null || newest === null ? null : Math.max(0, Number(head.timestamp) - newest.stamp.blockTimestamp),
    lastScanAt: newest === null ? null : new Date(provenAt(newest)).toISOString(),
    ...(scan === null ? {} : { scan }),
    headAgeSeconds: headAge === null ? null : toTenths(headAge.seconds),
    usualHeadAgeSeconds: headAge?.usualSeconds == null ? null : toTenths(headAge.usualSeconds),
    ...(index.progress === undefined ? {} : { eventIndex: index.progress }),
    rpcUsage: client.endpoints.usage().map(({ bytesPerMinute: _, ...row }) => row),
    // Where the database belongs to another chain, that is the whole reason.
    ...(refusal !== null ? { reason: refusal } : (found ?? {})),
  };
}

const STOPPED = "the newest block does not change";

function toTenths(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}

/** Says that snapshots are missing or old, without the cause, which `findCause` finds; undefined where they are neither. */
function reasonForOld(snapshots: SnapshotCache, limit: AgeLimit): string | undefined {
  const newest = snapshots.newest();
  if (newest === null) return "not scanned yet";
  if (!isOutdated(provenAt(newest), limit)) return undefined;
  if (isDatedAhead(provenAt(newest), limit)) return "the newest scan is dated in the future";
  return "no scan within STALE_AFTER_MS";
}

function unreadable(snapshots: SnapshotCache): string | undefined {
  const names = snapshots.unreadable();
  if (names.length === 0) return undefined;
  return `these snapshots in the database cannot be read, and the next scan replaces them: ${names.join(", ")}`;
}
