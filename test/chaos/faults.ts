import { type Actor, workers } from "./createProcesses";
import type { NodeMood } from "./startFaultyNode";
import type { Stage } from "./startStage";

/** What the client may see from the start of a fault until recovery. A wrong answer is never allowed. */
export type Expectation = {
  /** Polled reads, of every API process that runs: never an error; `stale`: they must turn stale and be marked so. */
  polled: "fresh" | "may turn stale" | "stale";
  /** Reads that need the chain or the index. */
  live: "answered" | "may fail";
  /** Whether one of the API processes may refuse connections, or lose an exchange that was under way. */
  lostApi?: "refuses" | "refuses and cuts";
};

export type Fault = {
  name: string;
  expected: Expectation;
  /** Resolves when the fault is over. One that occurs several times reports how long each recovery took, in milliseconds. */
  run(stage: Stage, noteRecovery: NoteRecovery): Promise<void>;
};

export type NoteRecovery = (milliseconds: number) => void;

/** Longer than an answer stays fresh. */
const LONG_MS = 7_500;
/** Longer than the deadline of a request: the last one hangs on after the node is back. */
const HANG_MS = 9_000;
/** Longer than the pauses between retries become. */
const VERY_LONG_MS = 20_000;
/** Longer than the longest pause between two reads of the head. */
const SEEN_MS = 2_500;
const KILLS = 5;

const unharmed: Expectation = { polled: "fresh", live: "answered" };
const handedOver: Expectation = { polled: "may turn stale", live: "answered" };
/** The state of the block that is known can still be read. */
const withoutHeads: Expectation = { polled: "may turn stale", live: "may fail" };
const withoutNode: Expectation = { polled: "stale", live: "may fail" };

/** Each with the result that is expected of it. */
export const faults: readonly Fault[] = [
  ...(["scan_remit", "scan_due", "prune"] as const).map((job) => ({
    name: `kill -9 of a worker in the middle of ${job}, ${KILLS} times`,
    expected: handedOver,
    run: (stage: Stage, note: NoteRecovery) => times(KILLS, () => killDuring(stage, job), note),
  })),
  {
    name: `kill -9 of a worker in the middle of indexing, ${KILLS} times`,
    expected: handedOver,
    run: (stage, note) => times(KILLS, () => killWhileIndexing(stage), note),
  },
  {
    name: "kill -9 of an API process",
    expected: { ...unharmed, lostApi: "refuses and cuts" },
    async run(stage) {
      stage.process("api1").kill("SIGKILL");
      await Bun.sleep(2_000);
      await stage.start("api1");
    },
  },
  {
    name: "Redis killed, and started again empty",
    expected: handedOver,
    async run({ redis }) {
      await redis.kill();
      await Bun.sleep(LONG_MS);
      await redis.start();
    },
  },
  {
    name: "Redis frozen",
    expected: handedOver,
    run: ({ redis }) => during(LONG_MS, redis.freeze, redis.thaw),
  },
  {
    name: "PostgreSQL stopped, and started again",
    expected: { polled: "stale", live: "may fail" },
    run: ({ postgres }) => during(LONG_MS, postgres.halt, postgres.resume),
  },
  {
    name: "PostgreSQL frozen",
    expected: { polled: "stale", live: "may fail" },
    run: ({ postgres }) => during(LONG_MS, postgres.freeze, postgres.thaw),
  },
  nodeFault("the node hangs", "hangs", HANG_MS),
  nodeFault("the node answers 429 with Retry-After: 3600", "throttles"),
  nodeFault("the node answers 200 with HTML", "html"),
  nodeFault("the node answers null", "null"),
  { ...nodeFault("the node's blocks are dated in milliseconds", "milliseconds"), expected: withoutHeads },
  {
    name: "the node's blocks are dated ten years back",
    expected: withoutHeads,
    async run(stage) {
      await known(stage);
      await during(
        LONG_MS,
        () => stage.node.mood("past"),
        () => stage.node.mood("well"),
      );
    },
  },
  { ...nodeFault("the node's blocks are dated ten years ahead", "future"), expected: withoutHeads },
  nodeFault("the node's answers do not end", "huge"),
  {
    name: "the clocks of all processes are set 400 days ahead, and back",
    expected: { ...handedOver, live: "may fail" },
    run: (stage) => stage.shiftClocks(400, LONG_MS),
  },
  {
    name: "the clocks of all processes are set 30 days back, and forward again",
    expected: { ...handedOver, live: "may fail" },
    run: (stage) => stage.shiftClocks(-30, LONG_MS),
  },
  {
    name: "the chain's time stands still for ten blocks",
    expected: unharmed,
    async run({ client }) {
      await client.setBlockTimestampInterval({ interval: 0 });
      for (let block = 0; block < 10; block++) {
        await client.mine({ blocks: 1 });
        await Bun.sleep(300);
      }
      await client.removeBlockTimestampInterval();
    },
  },
  { ...nodeFault("the node's head stands still", "stale"), expected: { polled: "fresh", live: "answered" } },
  {
    name: "the node is replaced by one of another chain",
    expected: withoutNode,
    async run({ node }) {
      // Down for longer than any pause between retries, like a node that is being replaced.
      await node.down();
      await node.mood("other_chain");
      await Bun.sleep(3_000);
      node.up();
      await Bun.sleep(LONG_MS);
      await node.mood("well");
    },
  },
  nodeFault("the URL leads to a node of another chain, without a break", "other_chain"),
  {
    name: "all nodes are down for a long time",
    expected: withoutNode,
    run: ({ node }) => during(VERY_LONG_MS, node.down, async () => node.up()),
  },
  {
    name: "two starts at once of everything, on empty stores",
    expected: { ...handedOver, live: "may fail", lostApi: "refuses and cuts" },
    run: (stage) => stage.startOver(),
  },
  {
    name: "SIGTERM of one API and one worker under load",
    expected: { ...handedOver, lostApi: "refuses" },
    run: endTwo,
  },
  {
    name: "SIGTERM of one API and one worker while the node hangs",
    expected: { polled: "may turn stale", live: "may fail", lostApi: "refuses and cuts" },
    async run(stage) {
      await stage.node.mood("hangs");
      await endTwo(stage);
      await stage.node.mood("well");
    },
  },
  {
    name: "the chain's clock passes midnight, second by second",
    expected: unharmed,
    async run({ client, nextDay }) {
      await nextDay(86_400 - 5);
      for (let second = 0; second < 10; second++) {
        const { timestamp } = await client.getBlock();
        await client.setNextBlockTimestamp({ timestamp: timestamp + 1n });
        await client.mine({ blocks: 1 });
        await Bun.sleep(500);
      }
    },
  },
];

/** Until every process has seen the newest block: only then can it notice that the time of that block has become false. */
async function known(stage: Stage): Promise<void> {
  await stage.settled();
  await stage.healthy();
  await Bun.sleep(SEEN_MS);
}

/** Asks one process of each kind to end: it must, in good order and within 10 s. Then it is started again. */
async function endTwo(stage: Stage): Promise<void> {
  for (const actor of ["api0", "worker0"] as const) {
    const askedAt = performance.now();
    stage.process(actor).kill("SIGTERM");
    const code = await stage.process(actor).exited();
    if (code !== 0) throw new Error(`${actor} ended with ${code} on SIGTERM`);
    if (performance.now() - askedAt > 10_000) throw new Error(`${actor} took longer than 10 s to end`);
    stage.watcher.ended(await stage.process(actor).output());
    await stage.start(actor);
  }
}

function nodeFault(name: string, mood: NodeMood, milliseconds = LONG_MS): Fault {
  return {
    name,
    expected: withoutNode,
    run: ({ node }) =>
      during(
        milliseconds,
        () => node.mood(mood),
        () => node.mood("well"),
      ),
  };
}

async function during(milliseconds: number, begin: () => unknown, end: () => unknown): Promise<void> {
  await begin();
  await Bun.sleep(milliseconds);
  await end();
}

async function times(count: number, strike: () => Promise<number>, noteRecovery: NoteRecovery): Promise<void> {
  for (let done = 0; done < count; done++) noteRecovery(await strike());
}

/** Kills a process. @returns milliseconds from its death until all is well without it */
async function kill(stage: Stage, victim: Actor): Promise<number> {
  const { pid } = stage.process(victim);
  stage.process(victim).kill("SIGKILL");
  await stage.process(victim).exited();
  const killedAt = performance.now();
  await stage.node.mood("well");
  await stage.healthy();
  await stage.takenOver(pid);
  return performance.now() - killedAt;
}

/** Kills the worker that runs the job, while it does; another takes the job over, and the dead one is started again. */
async function killDuring(stage: Stage, job: string): Promise<number> {
  const queue = stage.queue();
  // Every request takes a while, so a job that is found active stays so until its worker is dead.
  await stage.node.mood("slow");
  try {
    await queue.add(
      job,
      { atLeastBlock: null },
      { jobId: `chaos-${job}-${crypto.randomUUID()}`, removeOnComplete: true },
    );
    const victim = await activeWorker(stage, queue, job);
    const recoveryMs = await kill(stage, victim);
    await stage.start(victim);
    await stage.process(victim).printed(/ready to work on the chain/);
    return recoveryMs;
  } finally {
    await stage.node.mood("well");
    await queue.close();
  }
}

async function activeWorker(stage: Stage, queue: ReturnType<Stage["queue"]>, job: string): Promise<Actor> {
  for (;;) {
    const active = (await queue.getActive()).find(({ name }) => name === job);
    const found = workers.find((actor) => String(stage.process(actor).pid) === active?.processedBy);
    if (found !== undefined) return found;
    await Bun.sleep(5);
  }
}

/** Kills the worker that has just asked for logs and waits for them. */
async function killWhileIndexing(stage: Stage): Promise<number> {
  const asked = stage.node.hold("eth_getLogs", workers);
  await stage.client.mine({ blocks: 1 });
  const victim = await asked;
  const known = workers.find((actor) => actor === victim);
  if (known === undefined) throw new Error(`${victim} is not a worker`);
  const recoveryMs = await kill(stage, known);
  await stage.start(known);
  await stage.process(known).printed(/ready to work on the chain/);
  return recoveryMs;
}
