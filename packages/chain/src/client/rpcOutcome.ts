/** How an exchange with a node fails. None of these is a usable answer, so the call goes to the next node or is tried again. */
export type FailureKind =
  | "timeout"
  | "unreachable"
  | "http_status"
  | "malformed"
  | "too_large"
  | "null_result"
  | "missing_block"
  | "node_error"
  | "impossible_block"
  | "wrong_chain"
  /** The node accepts no more calls for now. */
  | "rate_limited"
  /** Too many calls already wait for the node. */
  | "overloaded";

export type RpcFailure = {
  kind: FailureKind;
  httpStatus?: number;
  retryAfterMs?: number;
  /** Place of the endpoint in the list of URLs. */
  endpoint?: number;
};

/**
 * An error that is the node's answer to the call: a revert, a rejected parameter, an unknown method. A retry gives the same answer.
 * `message` is the node's own text and must not be passed on.
 */
export class RpcRefusal extends Error {
  override readonly name = "RpcRefusal";

  constructor(
    readonly code: number,
    message: string,
    readonly data: `0x${string}` | undefined,
    /** The call that was refused, and the place of the endpoint in the list of URLs, where they are known. */
    readonly source: { method?: string; endpoint?: number } = {},
  ) {
    super(message);
  }
}

/** The outcome of one JSON-RPC request at one node. */
export type RpcOutcome = { result: unknown } | { refusal: RpcRefusal } | { failure: RpcFailure };

export type RpcCall = { method: string; params: unknown };
