type Answer = Record<string, unknown>;

/** An answer without what belongs to the one request: its id, and when it was computed. */
export function comparable({ requestId: _, ...answer }: Answer): Answer {
  const { computedAt: __, confirmedAt: ___, ...asOf } = Object(answer.asOf);
  return { ...answer, asOf };
}
