import type { ServedChain } from "../chains/servedChain";
import type { Limiter } from "../limits/limiter";
import type { Call } from "../operation/execute";
import { createCounters } from "./counters";
import { callerOf, type Exchange } from "./exchange";

/** The call of an operation that a request makes. A request over MCP may make several, also on different chains. */
export type OpenCall = (exchange: Exchange, chain: ServedChain, minBlock: bigint | null) => Call;

export function createOpenCall(limiter: Limiter): OpenCall {
  return (exchange, chain, minBlock) => {
    const { request, requestId } = exchange;
    const { client, subject } = callerOf(exchange);
    return {
      chain,
      requestId,
      client,
      subject,
      minBlock,
      // An answer from memory needs neither the signal nor the counters, and Bun creates a signal when it is read.
      get signal() {
        return request.signal;
      },
      get counters() {
        return createCounters(limiter, exchange);
      },
    };
  };
}
