type Answer = Record<string, unknown>;

/** An answer without what belongs to the one request: its id, when it was computed, and what the process measured until then. */
export function comparable({ requestId: _, ...answer }: Answer): Answer {
  const { computedAt: __, confirmedAt: ___, ...asOf } = Object(answer.asOf);
  const { chains = [] } = Object(answer.checks);
  return {
    ...answer,
    asOf,
    ...(answer.checks === undefined ? {} : { checks: { ...answer.checks, chains: chains.map(withoutMeasures) } }),
  };
}

function withoutMeasures({ headAgeSeconds: _, usualHeadAgeSeconds: __, rpcUsage: ___, ...chain }: Answer): Answer {
  return chain;
}
