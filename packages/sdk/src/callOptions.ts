/** Settings of one call. */
export type CallOptions = {
  /** Ends the call, its retries and its waits. */
  signal?: AbortSignal | undefined;
  /** The chain of this call, instead of the client's. */
  chainId?: number | undefined;
  /** The answer describes this block or a later one, so that a client sees its own transaction. */
  minBlock?: bigint | number | undefined;
};
