import { ServiceError } from "@dueday/core/errors";

export type NodeWatch = {
  /** The head could not be followed. Where that is the node's fault, an outage begins. */
  noteFailure(error: unknown): void;
  /** The node has answered a request for the head: an outage ends. */
  noteAnswer(): void;
  /**
   * Whether an error, or a cause of it, comes from the outage of the node, which the watch reports once for all parts. A failure to
   * reach the node begins an outage where none is known; other errors may concern one request only.
   */
  covers(error: unknown): boolean;
};

export type NodeWatchOptions = {
  onAway(error: unknown): void;
  onBack(awaySeconds: number): void;
  /** Milliseconds that never go back. Default: `performance.now`. */
  elapsed?: () => number;
};

/** Requests that were sent before the node came back may still fail for this time: a request of a scan ends within it. */
const LINGERING_MS = 8_000;

/** Finds out whether a chain's node is away, by the requests that the worker makes anyway; it sends no other requests. */
export function watchNode({ onAway, onBack, elapsed = () => performance.now() }: NodeWatchOptions): NodeWatch {
  let awaySince: number | null = null;
  let backSince = Number.NEGATIVE_INFINITY;

  function begin(error: unknown): void {
    if (awaySince !== null) return;
    awaySince = elapsed();
    onAway(error);
  }

  return {
    noteFailure(error) {
      const fault = nodeFaultIn(error);
      if (fault !== null) begin(fault);
    },
    noteAnswer() {
      if (awaySince === null) return;
      backSince = elapsed();
      const seconds = Math.round((backSince - awaySince) / 1000);
      awaySince = null;
      onBack(seconds);
    },
    covers(error) {
      const fault = nodeFaultIn(error);
      if (fault === null) return false;
      if (awaySince !== null || elapsed() - backSince < LINGERING_MS) return true;
      if (fault.details.failure !== "unreachable") return false;
      begin(fault);
      return true;
    },
  };
}

function nodeFaultIn(error: unknown): ServiceError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ServiceError) return cause.code.startsWith("UPSTREAM_") ? cause : null;
  return null;
}
