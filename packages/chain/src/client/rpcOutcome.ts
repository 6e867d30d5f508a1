/** How an exchange with a node fails. None of these says anything about the call itself, so each is worth another try. */
export type FailureKind =
  | "timeout"
  | "unreachable"
  | "http_status"
  | "malformed"
  | "too_large"
  | "null_result"
  | "missing_block"
  | "node_error"
  | "wrong_chain";

export type RpcFailure = { kind: FailureKind; httpStatus?: number; retryAfterMs?: number };

/**
 * An error that is the node's answer to this very call: a revert, a refused parameter, an unknown method. Trying again gives
 * the same. `message` is the node's own text and goes no further than the code that reads it.
 */
export class RpcRefusal extends Error {
  override readonly name = "RpcRefusal";

  constructor(
    readonly code: number,
    message: string,
    readonly data: `0x${string}` | undefined,
  ) {
    super(message);
  }
}

/** What became of one JSON-RPC request at one node. */
export type RpcOutcome = { result: unknown } | { refusal: RpcRefusal } | { failure: RpcFailure };

export type RpcCall = { method: string; params: unknown };
