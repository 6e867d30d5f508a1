import { type RpcCall, type RpcOutcome, RpcRefusal } from "./rpcOutcome";
import { upstreamError } from "./upstreamError";

/** Calls in one HTTP request at most. */
const BATCH_LIMIT = 50;
/** Characters of parameters in one HTTP request, a single call aside: nodes take from 2 MiB on. */
const BATCH_LENGTH = 1_000_000;
/** HTTP requests in flight at a time for one client; further ones are queued. */
const BATCHES_IN_FLIGHT = 4;

/** One JSON-RPC request. Rejects with RpcRefusal (the node's answer to this call) or with a ServiceError (no answer). */
export type Rpc = (method: string, params: unknown) => Promise<unknown>;

type Waiting = { call: RpcCall; length: number; settle: (outcome: RpcOutcome) => void };

/** Gathers the calls of one tick into batches. `send` answers every call and never throws. */
export function createRpc(send: (calls: readonly RpcCall[]) => Promise<RpcOutcome[]>): Rpc {
  let waiting: Waiting[] = [];
  let inFlight = 0;
  let scheduled = false;

  function flush(): void {
    scheduled = false;
    while (waiting.length > 0 && inFlight < BATCHES_IN_FLIGHT) {
      const count = batchSize(waiting);
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      inFlight++;
      void send(batch.map((each) => each.call)).then((outcomes) => {
        inFlight--;
        for (const [position, each] of batch.entries()) {
          each.settle(outcomes[position] ?? { failure: { kind: "malformed" } });
        }
        flush();
      });
    }
  }

  return (method, params) =>
    new Promise((resolve, reject) => {
      waiting.push({
        call: { method, params },
        length: JSON.stringify(params).length,
        settle(outcome) {
          if ("result" in outcome) resolve(outcome.result);
          else if ("refusal" in outcome) {
            // A new error here has the caller's stack, not that of the batch.
            reject(new RpcRefusal(outcome.refusal.code, outcome.refusal.message, outcome.refusal.data));
          } else reject(upstreamError(outcome.failure, method));
        },
      });
      if (scheduled) return;
      scheduled = true;
      afterThisTick(flush);
    });
}

/** Browsers have no setImmediate. A timer would add a millisecond to each round trip where there is one. */
const afterThisTick: (run: () => void) => unknown = globalThis.setImmediate ?? ((run) => setTimeout(run, 0));

/** How many of the first calls go into one HTTP request. */
function batchSize(waiting: readonly Waiting[]): number {
  let length = 0;
  const tooLong = waiting.slice(0, BATCH_LIMIT).findIndex((each) => {
    length += each.length;
    return length > BATCH_LENGTH;
  });
  return tooLong === -1 ? BATCH_LIMIT : Math.max(1, tooLong);
}
