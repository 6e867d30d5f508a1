import { callApi } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import type { AsOf } from "@dueday/core/schema";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { replayScenario } from "@dueday/devnet/replay/replayScenario";
import type { PlanStep, Scenario } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { startWorker } from "@dueday/worker/startWorker";
import { compareHistory } from "../recorded/compareHistory";
import { asRecorded, inRecordedTerms } from "../recorded/comparePlan";
import type { NodeRow } from "./nodeRows";

/** What a replay of one scenario on one kind of node gave. */
export type NodeResult = {
  plans: { equal: number; recorded: number };
  /** Those of the service on a node without limits or faults are the measure. */
  prepares: { equal: number; sent: number };
  events: { served: number; recorded: number };
  /** Plans that differ from the record at its block, and prepares that differ from the measure, except where the node failed. */
  wrong: string[];
  /** From the end of the replay until the whole index equals the record; null where it never did. */
  indexedAfterMs: number | null;
  /** Why plans, prepares or events were missing, the last one first. */
  problems: string[];
  calls: number;
  seconds: number;
};

/** Between two steps, so that the worker follows the chain block by block. */
const STEP_MS = 40;
const WITHIN_MS = 60_000;
const LOOK_MS = 200;
const MOST_PROBLEMS = 5;

/** Replays a recorded scenario behind a node of this kind, with a worker and an API, and compares what they serve with the record. */
export async function replayOnNode(row: NodeRow, scenario: Scenario): Promise<NodeResult> {
  const start = performance.now();
  const result: NodeResult = {
    plans: { equal: 0, recorded: scenario.steps.filter(({ op }) => op === "plan").length },
    prepares: { equal: 0, sent: 0 },
    events: { served: 0, recorded: recordedEvents(scenario) },
    wrong: [],
    indexedAfterMs: null,
    problems: [],
    calls: 0,
    seconds: 0,
  };
  const note = (problem: string): void => {
    result.problems = [problem, ...result.problems].slice(0, MOST_PROBLEMS);
  };
  let service: Service | undefined;
  try {
    const differences = await replayScenario(scenario, {
      async onStart(context) {
        if (row.gasLimit !== undefined) await context.client.setBlockGasLimit({ gasLimit: row.gasLimit });
        service = await startService(row, context);
      },
      onStep: (context) => whileBlocksCome(row, context, () => Bun.sleep(row.blockTimeMs ?? STEP_MS)),
      async onPlan(context, step) {
        const { api, sound } = asStarted(service);
        const wrong = await whileBlocksCome(row, context, () => awaitPlan(api, context, step, note));
        if (wrong === null) result.plans.equal++;
        else if (wrong !== "") result.wrong.push(wrong);
        // Both have to answer at the same block.
        await comparePrepares({ api, sound }, context, result, note);
      },
      async onFinal(context) {
        const started = asStarted(service);
        result.indexedAfterMs = await whileBlocksCome(row, context, () => awaitIndex(started, context, note));
        result.events.served = await countEvents(started);
        result.calls = started.calls();
        // The node ends after this.
        await started.stop();
      },
    });
    if (differences.length > 0) throw new Error("the replay itself differs from its record");
  } finally {
    await service?.stop();
  }
  return { ...result, seconds: (performance.now() - start) / 1_000 };
}

type Service = Awaited<ReturnType<typeof startService>>;

function asStarted(service: Service | undefined): Service {
  if (service === undefined) throw new Error("the service was not started");
  return service;
}

/** Runs `work` while empty blocks come, with the time of the head: the recorded steps set the clock. */
async function whileBlocksCome<T>(
  { blockTimeMs }: NodeRow,
  { client }: ReplayContext,
  work: () => Promise<T>,
): Promise<T> {
  if (blockTimeMs === undefined) return work();
  const end = new AbortController();
  const mining = (async () => {
    for (;;) {
      await Bun.sleep(blockTimeMs);
      if (end.signal.aborted) return;
      const { timestamp } = await client.getBlock();
      await client.setNextBlockTimestamp({ timestamp });
      await client.mine({ blocks: 1 });
    }
  })();
  try {
    return await work();
  } finally {
    end.abort();
    await mining;
  }
}

async function startService({ profile, env = {} }: NodeRow, context: ReplayContext) {
  const database = await createTestDatabase();
  const proxy = startNodeProxy(context.url, profile);
  const settings = {
    SCAN_INTERVAL_MS: "1000",
    LOG_LEVEL: "silent",
    ...env,
  };
  const config = parseConfig({
    CHAINS: String(TEST_CHAIN_ID),
    [`CHAIN_${TEST_CHAIN_ID}_RPC_URLS`]: proxy.url,
    [`CHAIN_${TEST_CHAIN_ID}_CONTRACT`]: context.contract,
    ...settings,
  });
  const fatal: Error[] = [];
  const worker = startWorker(config, {
    database: database.database,
    logger: createLogger(config),
    clock: Date.now,
    onFatal: (error) => fatal.push(error),
  });
  const open = (rpcUrl: string) => startTestApi({ database, rpcUrl, contract: context.contract, env: settings });
  const [api, sound] = await Promise.all([open(proxy.url), open(context.url)]);
  return {
    api,
    /** On the node itself. */
    sound,
    database,
    calls: () => proxy.exchanges.flat().length,
    stop: once(async () => {
      await Promise.all([worker.stop(), api.stop(), sound.stop()]);
      await proxy.stop();
      if (fatal[0] !== undefined) throw fatal[0];
    }),
  };
}

/** Runs `work` with the first call; all calls have its outcome. */
function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}

/** Waits until the recorded plan is served. Null when it was; else the wrong answer, or "" where there was none. */
async function awaitPlan(
  api: TestApi,
  context: ReplayContext,
  step: PlanStep,
  note: (problem: string) => void,
): Promise<string | null> {
  const head = await context.client.getBlockNumber({ cacheTime: 0 });
  const recorded = asRecorded(step);
  const deadline = performance.now() + WITHIN_MS;
  let last = "";
  while (performance.now() < deadline) {
    const { status, body } = await callApi(api, "/remit/readiness?detail=full");
    if (status === 200) {
      // The API has compared it with the schema.
      const { asOf, ...readiness } = body as RemitReadiness & { asOf: AsOf };
      const served = inRecordedTerms(readiness, context);
      if (Bun.deepEquals(served, recorded)) return null;
      last = `plan at block ${head}: ${JSON.stringify(served)} instead of ${JSON.stringify(recorded)}`;
      // Later blocks are empty.
      if (BigInt(asOf.blockNumber) >= head) return last;
    } else last = `plan at block ${head}: ${status} ${JSON.stringify(body.error)}`;
    await Bun.sleep(LOOK_MS);
  }
  note(last);
  return "";
}

type Prepare = { path: string; body: Record<string, unknown> };

/** Prepares for the keeper, and for a subscriber and a provider who change from step to step. */
function prepares({ keeper, scenario, names }: ReplayContext, round: number): Prepare[] {
  const created = scenario.steps.flatMap((step) => (step.op === "createSubscription" && step.ok ? [step] : []));
  const known = created.filter(({ as }) => as !== undefined && isKnown(() => names.hexOf(as)));
  const chosen = known[round % Math.max(1, known.length)];
  const account = names.addressOf(scenario.accounts[round % scenario.accounts.length] ?? "keeper");
  const remit = { path: "/prepare/remit", body: { from: keeper } };
  if (chosen?.as === undefined) return [remit];
  const id = names.hexOf(chosen.as);
  return [
    remit,
    { path: "/prepare/subscribe_by_id", body: { from: account, id } },
    { path: "/prepare/unsubscribe_by_id", body: { from: account, id } },
    { path: "/prepare/cancel_subscription_by_id", body: { from: names.addressOf(chosen.by), id } },
  ];
}

function isKnown(look: () => unknown): boolean {
  try {
    look();
    return true;
  } catch {
    return false;
  }
}

async function comparePrepares(
  { api, sound }: Pick<Service, "api" | "sound">,
  context: ReplayContext,
  result: NodeResult,
  note: (problem: string) => void,
): Promise<void> {
  for (const { path, body } of prepares(context, result.prepares.sent)) {
    const ask = (of: TestApi) => callApi(of, path, { method: "POST", body });
    const [answer, expected] = [await ask(api), await ask(sound)];
    result.prepares.sent++;
    const outcome = (of: typeof answer) => ({
      status: of.status,
      code: of.body.code,
      transactions: of.body.unsignedTransactions,
    });
    if (Bun.deepEquals(outcome(answer), outcome(expected))) {
      result.prepares.equal++;
      continue;
    }
    const difference = `${path}: ${JSON.stringify(outcome(answer))} instead of ${JSON.stringify(outcome(expected))}`;
    const isUpstream = String(answer.body.code).startsWith("UPSTREAM");
    if (isUpstream) note(`${difference} ${String(answer.body.error)}`);
    else result.wrong.push(difference);
  }
}

/** Milliseconds until history, search and activity equal the record; null where they don't within a minute. */
async function awaitIndex(
  { api }: Service,
  context: ReplayContext,
  note: (problem: string) => void,
): Promise<number | null> {
  const start = performance.now();
  for (let last: unknown; ; await Bun.sleep(LOOK_MS)) {
    try {
      await compareHistory(api, context);
      return performance.now() - start;
    } catch (error) {
      last = error;
    }
    if (performance.now() - start > WITHIN_MS) {
      note(`index: ${String(last).slice(0, 500)}`);
      return null;
    }
  }
}

/** Recorded, but not stored: transfers and approvals of tokens, and UList, which has no table. */
const NOT_STORED = ["Transfer", "Approval", "UList"];

function recordedEvents({ steps }: Scenario): number {
  const logs = steps.flatMap((step) => ("logs" in step ? step.logs : []));
  return logs.filter(({ event }) => !NOT_STORED.includes(event)).length;
}

const LOG_TABLES = ["sub_logs", "details_logs", "provider_details_logs", "caller_logs", "coordinates_logs"];

async function countEvents({ database }: Service): Promise<number> {
  const { sql } = database.database;
  let count = 0;
  for (const table of LOG_TABLES) {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from ${sql(table)}`;
    count += row?.count ?? 0;
  }
  return count;
}
