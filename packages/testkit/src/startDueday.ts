import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type BlockSchedule, createBlockSchedule } from "./chain/createBlockSchedule";
import { type Chain, createChain } from "./chain/createChain";
import { type Checkout, createCheckout } from "./chain/createCheckout";
import { createRpc } from "./chain/createRpc";
import { createDeveloper, type Developer } from "./createDeveloper";
import type { Scenario, StackFacts } from "./facts";
import { locateBun } from "./locateBun";

export type StartOptions = {
  /** Default: `demo`. */
  scenario?: Scenario | undefined;
  /**
   * Milliseconds between blocks that come by themselves while this process runs, such as 200 as on Base. Default: a block is mined for
   * each transaction.
   */
  blockTimeMs?: number | undefined;
  /**
   * Settings of the service, such as `CORS_ORIGINS` or `LIMIT_FREE_WRITE_RPM`. By default its limits are a hundred times those of a
   * public service, and `PORT` and `DEVNET_PORT`, the port of the chain's node, are 0: free ones.
   */
  settings?: Readonly<Record<string, string>> | undefined;
};

/** A running stack. */
export type Dueday = Readonly<StackFacts> &
  Chain &
  Developer & {
    /**
     * Subscribes a wallet as the checkout page does, and returns the proof that its browser brings back to a shop.
     *
     * @throws DuedayError where the wallet can't subscribe
     *
     * @example
     * const proof = await dueday.checkout({ subscription, subscriber, origin: "https://shop.example", reference: "order 7" });
     */
    checkout: Checkout;
    /** Ends every process and removes every file. Later calls do nothing. */
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
  };

/** The service gets nothing else of this process's environment: it might name a database, a port or a proxy. */
const PASSED_ON = ["PATH", "HOME", "TMPDIR"];
/** Longer than the service itself needs to end everything. */
const STOP_MS = 10_000;
const ADMIN_SECRET_BYTES = 24;
/** The most characters of the service's messages that are kept for errors. */
const KEPT = 4_000;

/**
 * Starts a private chain with the protocol, the service and funded wallets. It ends with `stop()`, at the end of an `await using`
 * block, or within seconds after this process, even if that is killed.
 *
 * @throws Error with the service's own messages when it does not start
 * @throws RangeError for a `blockTimeMs` that is not above 0
 *
 * @example
 * await using dueday = await startDueday({ scenario: "empty" });
 * await dueday.travel("30 days");
 * await dueday.settle();
 */
export async function startDueday(options: StartOptions = {}): Promise<Dueday> {
  const { scenario = "demo", blockTimeMs, settings = {} } = options;
  const adminSecret = settings.ADMIN_SECRET ?? randomBytes(ADMIN_SECRET_BYTES).toString("hex");
  if (blockTimeMs !== undefined && !(blockTimeMs > 0))
    throw new RangeError(`blockTimeMs is ${blockTimeMs}: write milliseconds above 0, such as 200`);
  const child = spawn(locateBun(), [fileURLToPath(import.meta.resolve("#service")), scenario], {
    env: { ...passedOn(), PORT: "0", DEVNET_PORT: "0", ...settings, ADMIN_SECRET: adminSecret },
    // Its own session: Ctrl-C ends this process, and the end of the pipe then ends the service.
    detached: true,
  });
  const facts = await readFacts(child);
  keepNothingAlive(child);
  let schedule: BlockSchedule | null = null;
  let stopping: Promise<void> | undefined;
  async function endAll(): Promise<void> {
    await schedule?.stop();
    await end(child);
  }
  const stop = () => {
    stopping ??= endAll();
    return stopping;
  };
  try {
    if (blockTimeMs !== undefined) schedule = await createBlockSchedule(createRpc(facts.rpcUrl), blockTimeMs);
    const chain = createChain(facts, schedule);
    // Before it has followed the chain up to here, the service does not know the plans.
    await chain.caughtUp();
    const checkout = createCheckout(facts, chain.caughtUp);
    const developer = createDeveloper(facts, adminSecret);
    return { ...facts, ...chain, ...developer, checkout, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function passedOn(): Record<string, string> {
  // Read from the process itself and not passed in: the service has to run with the caller's PATH, HOME and TMPDIR.
  const { env } = process;
  return Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** The line of JSON that the service prints when it can be used. */
async function readFacts(child: ChildProcessWithoutNullStreams): Promise<StackFacts> {
  let messages = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    messages = (messages + text).slice(-KEPT);
  });
  await once(child, "spawn");
  for await (const line of createInterface({ input: child.stdout })) {
    // Written by `main.ts` of the same version of this package.
    return JSON.parse(line) as StackFacts;
  }
  throw new Error(`the service did not start: ${messages.trim() || "it printed no reason"}`);
}

/** A test process that forgets to stop the stack can end; the stack then ends too. */
function keepNothingAlive(child: ChildProcessWithoutNullStreams): void {
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) if (pipe instanceof Socket) pipe.unref();
}

/** @throws Error when the service had to be killed */
async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const ended = once(child, "exit");
  child.stdin.end();
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await ended;
  clearTimeout(timer);
  if (child.signalCode === "SIGKILL")
    throw new Error(`the service did not end within ${STOP_MS / 1000} s and was killed`);
}
