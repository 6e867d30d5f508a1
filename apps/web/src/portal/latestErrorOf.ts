type Action = { error: Error | null; submittedAt: number };

/** The error of the action that was started last: an earlier error no longer counts when another action has been started. */
export function latestErrorOf(...actions: readonly Action[]): Error | null {
  return actions.toSorted((a, b) => b.submittedAt - a.submittedAt)[0]?.error ?? null;
}
