import type { Header } from "@dueday/chain/block/parseHeader";
import { readSettings } from "@dueday/chain/reads/readSettings";
import { presentReadiness } from "@dueday/chain/remit/presentReadiness";
import { proveReadiness } from "@dueday/chain/remit/proveReadiness";
import type { RpcProfile } from "@dueday/config/chains";
import type { ProofRequest } from "@dueday/db/proofRequest";
import { confirmSnapshots, type SnapshotContent } from "@dueday/db/snapshots/confirmSnapshots";
import { readSnapshotContents } from "@dueday/db/snapshots/readSnapshotContents";
import { renewSnapshots } from "@dueday/db/snapshots/renewSnapshots";
import type { NewSnapshot } from "@dueday/db/snapshots/writeSnapshots";
import type { ChainContext } from "../context";
import type { JobName } from "../jobs/job";
import { knownTokens } from "../jobs/knownTokens";
import { snapshotRow } from "../jobs/snapshotRow";
import type { ChainUpdate } from "../logs/chainUpdate";
import { createProofQueue, type WantedProof } from "./createProofQueue";
import { createTokenWatch } from "./createTokenWatch";
import { needsScan } from "./needsScan";

/** Proves the snapshots at later blocks, or has them computed again. */
export type QuietWatch = {
  /** Notes a new head, and starts a check where one is due. Resolves when this is done; never rejects. */
  note(update: ChainUpdate): Promise<void>;
  /** Requests a proof for an API process, made at the first head that reaches the requested block; one in `REQUESTED_MS`. Never rejects. */
  request(request: ProofRequest): Promise<void>;
  /** Serves no more requests. */
  stop(): void;
};

export type QuietWatchOptions = {
  context: Pick<ChainContext, "chain" | "client" | "database" | "clock" | "logger" | "scans">;
  /** Requests these scans of the block or a later one. */
  requestScans(head: Header, names: readonly JobName[]): Promise<void>;
};

/** Milliseconds from one proof to the next; with the pause between two heads they stay below what a profile promises. */
type Cadence = {
  /** Of the plan, while something is due. */
  planMs: number;
  /** Of everything, while something is due. */
  dueMs: number;
  /** Of comparisons of balances and allowances in between: a change leads to a scan. Null for none. */
  tokensMs: number | null;
  /** Of everything, while nothing is due. */
  idleMs: number;
};

const CADENCES: Readonly<Record<RpcProfile, Cadence>> = {
  fresh: { planMs: 12_000, dueMs: 45_000, tokensMs: 3_500, idleMs: 50_000 },
  frugal: { planMs: 40_000, dueMs: 110_000, tokensMs: null, idleMs: 40_000 },
};

/** Requests for one proof at the usual cadence, each of which compares a thousand accounts: a larger book is compared less often. */
const USUAL_REQUESTS = 10;
/** The shortest time between two proofs that were asked for. */
const REQUESTED_MS = 1_000;
/** After a check that failed, the next follows after this time. */
const RETRY_MS = 4_000;

/**
 * Between the scans that events cause, keeps the snapshots proven at later blocks. While something is due the plan depends on what tokens
 * do, which only a simulation shows (`proveReadiness`). Everything else depends on the contract's state, settings, balances and allowances:
 * if a comparison finds that none of them has changed since the scan, the snapshots are confirmed. What can't be confirmed is scanned again.
 */
export function createQuietWatch({ context, requestScans }: QuietWatchOptions): QuietWatch {
  const { chain, client, database, clock, logger, scans } = context;
  const tokens = createTokenWatch(context);
  const cadence = CADENCES[chain.rpcProfile];
  /** The block of the last change: scans of earlier blocks may be wrong. */
  let changedAt: bigint | null = null;
  let head: Header | null = null;
  let isBusy = false;
  let timer: Timer | undefined;
  let isStopped = false;
  const proofs = createProofQueue(REQUESTED_MS);
  const last = { plan: NEVER, all: NEVER, tokens: NEVER };

  async function scan(block: Header): Promise<void> {
    await requestScans(block, BOTH);
    noteScans();
  }

  async function rescan(block: Header): Promise<void> {
    changedAt = block.number;
    await scan(block);
  }

  function noteScans(): void {
    const now = performance.now();
    Object.assign(last, { plan: now, all: now, tokens: now });
  }

  async function check(block: Header): Promise<void> {
    const asked = proofs.take(block.number);
    try {
      await prove(block, asked);
    } catch (error) {
      if (asked !== null) proofs.add(asked);
      throw error;
    }
  }

  async function prove(block: Header, asked: WantedProof | null): Promise<void> {
    if (asked?.rescan === true) return rescan(block);
    const now = performance.now();
    const { plan, due } = scans;
    const isOpen = plan === null || plan.isOpen;
    const allMs =
      (isOpen ? cadence.dueMs : cadence.idleMs) * Math.max(1, tokens.requests(due?.book ?? null) / USUAL_REQUESTS);
    if (asked !== null || now - last.all >= allMs) {
      last.all = now - allMs + RETRY_MS;
      await proveAll(block);
      Object.assign(last, { plan: now, all: now });
    } else if (isOpen && now - last.plan >= cadence.planMs) {
      last.plan = now - cadence.planMs + RETRY_MS;
      const row = await provePlan(block);
      if (row !== null) await renewSnapshots(database, [row]);
      last.plan = now;
    } else if (isOpen && cadence.tokensMs !== null && now - last.tokens >= cadence.tokensMs) {
      last.tokens = now;
      if ((await tokens.check(plan?.book ?? null, block)) === "changed") await rescan(block);
    }
  }

  /** Whether the scans of this process have seen the last change. */
  function areScansCurrent(): boolean {
    const { plan, due } = scans;
    if (plan === null || due === null || changedAt === null) return false;
    return plan.block.number >= changedAt && due.block.number >= changedAt;
  }

  /** Proves the plan at `block` and returns its content at that block; or requests scans and returns null. */
  async function provePlan(block: Header): Promise<NewSnapshot | null> {
    const { plan } = scans;
    if (plan === null || !areScansCurrent()) {
      await scan(block);
      return null;
    }
    const { contract } = chain;
    const facts = plan.isOpen ? await proveReadiness(client, { contract, block, facts: plan.facts }) : plan.facts;
    if (facts === null) {
      await rescan(block);
      return null;
    }
    // Its costs follow the fees of the block, so the content may be new although the plan still holds.
    return snapshotRow(context, block, { kind: "readiness", payload: presentReadiness(facts) });
  }

  /** Confirms everything that is proven at `block`, and requests scans where something changed. */
  async function proveAll(block: Header): Promise<void> {
    const stored = await readSnapshotContents(database, chain);
    const settings = await readStoredSettings(block);
    const isStored = ({ kind, hash }: SnapshotContent) =>
      stored.some((content) => content.kind === kind && content.hash === hash);
    if (!settings.every(isStored)) return rescan(block);
    const plan = await provePlan(block);
    if (plan === null) return;
    const verdict = await tokens.check(scans.due?.book ?? null, block);
    if (verdict === "changed") return rescan(block);
    // The due lists of coming days are forecasts from balances and allowances: where these can't be compared, the lists can't be confirmed.
    if (verdict === "unknown") await requestScans(block, ["scan_due"]);
    const isPlanStored = isStored(plan);
    if (!isPlanStored) await renewSnapshots(database, [plan]);
    // Confirmed together with the plan, so that the stored proofs are written once.
    const isProven = ({ kind }: SnapshotContent) =>
      kind === "readiness" ? isPlanStored : kind !== "due" || verdict === "same";
    await confirmSnapshots(database, {
      chainId: chain.chainId,
      contract: chain.contract,
      block,
      confirmedAt: new Date(clock()),
      snapshots: stored.filter(isProven),
    });
  }

  /** What admins of the protocol and of tokens set without an event, as the scans store it. */
  async function readStoredSettings(block: Header): Promise<SnapshotContent[]> {
    const { contract } = chain;
    const { protocol, approved } = await readSettings(client, { contract, tokens: await knownTokens(context), block });
    return [
      snapshotRow(context, block, { kind: "protocol", payload: protocol }),
      snapshotRow(context, block, { kind: "tokens", payload: approved }),
    ];
  }

  async function checkOnce(block: Header): Promise<void> {
    if (isBusy || isStopped) return;
    isBusy = true;
    try {
      await check(block);
    } catch (error) {
      // The next check tries again.
      logger.debug({ err: error }, "the snapshots can't be proven at the newest block");
    } finally {
      isBusy = false;
    }
    serveLater();
  }

  /** A request that came during a check, or too soon after another, does not wait for the next block: that may take minutes. */
  function serveLater(): void {
    const ms = head === null ? null : proofs.waitMs(head.number);
    if (ms === null || isStopped) return;
    clearTimeout(timer);
    timer = setTimeout(() => head !== null && void checkOnce(head), ms);
  }

  return {
    async note(update) {
      head = update.head;
      if (needsScan(update)) {
        // The scans of this block are requested with the update.
        changedAt = head.number;
        noteScans();
      }
      await checkOnce(head);
    },
    async request({ atLeastBlock, rescan: isRescan }) {
      proofs.add({ atLeastBlock: BigInt(atLeastBlock), rescan: isRescan });
      if (head !== null) await checkOnce(head);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

const NEVER = Number.NEGATIVE_INFINITY;
const BOTH: readonly JobName[] = ["scan_remit", "scan_due"];
