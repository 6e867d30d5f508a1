import type { Readiness } from "./api";
import { summary } from "./planTable";
import { type Settling, settleBacklog } from "./settleBacklog";
import { type ExitCode, exitCode, Trouble } from "./trouble";

export type Keeping = Settling & {
  once: boolean;
  /** Pause between two looks at a plan that asks for nothing. */
  intervalMs: number;
};

/** What the keeper remembers between two looks. */
type Memory = {
  known: Readiness | null;
  shown: string;
  /** Block of its own last transaction: an older plan is not acted upon. */
  lastBlock: bigint;
  /** Looks in a row that asked for something and got nowhere. */
  fruitless: number;
};

/** Pause while the service has yet to see what was just settled, by this keeper or another. */
const CATCH_UP_MS = 2_000;
/** With `once`: after so many fruitless looks the keeper gives up. */
const PATIENCE = 60;

/** Watches the plan and settles what is due. Returns only with `once`, or when the API is not to be trusted. */
export async function keep(keeping: Keeping): Promise<ExitCode> {
  const { once, intervalMs, print, sleep } = keeping;
  const memory: Memory = { known: null, shown: "", lastBlock: 0n, fruitless: 0 };
  for (;;) {
    try {
      const next = await look(keeping, memory);
      if ("end" in next) return next.end;
      await sleep(next.pauseMs);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      print(error.message);
      const isFinal = error.exitCode === exitCode.REFUSED || (once && error.retryAfterMs === null);
      if (isFinal) return error.exitCode;
      await sleep(error.retryAfterMs ?? intervalMs);
    }
  }
}

/** One look at the plan, and one round where it asks for one. */
async function look(keeping: Keeping, memory: Memory): Promise<{ end: ExitCode } | { pauseMs: number }> {
  const { api, once, intervalMs, print } = keeping;
  const readiness = await api.readiness(memory.known);
  memory.known = readiness;
  if (readiness.blockNumber < memory.lastBlock) return waitForService(keeping, memory);
  const line = `${summary(readiness.plan)}${readiness.stale ? " (stale: the service has lost touch with the chain)" : ""}`;
  if (line !== memory.shown) print(line);
  memory.shown = line;
  if (!readiness.plan.ready) {
    if (!once) return { pauseMs: intervalMs };
    return { end: readiness.plan.reason === "blocked" ? exitCode.BLOCKED : exitCode.DONE };
  }
  const round = await settleBacklog(keeping, readiness.plan);
  if (round.transactions === 0) return waitForService(keeping, memory);
  memory.lastBlock = round.lastBlock;
  memory.fruitless = 0;
  return { pauseMs: 0 };
}

/** Asks again soon, and after a while at the usual pace: the service may be down for long. */
function waitForService({ once, intervalMs }: Keeping, memory: Memory): { pauseMs: number } {
  memory.fruitless++;
  if (memory.fruitless < PATIENCE) return { pauseMs: Math.min(CATCH_UP_MS, intervalMs) };
  if (once) throw new Trouble(exitCode.UNREACHABLE, "the service's plan does not follow the chain");
  return { pauseMs: intervalMs };
}
