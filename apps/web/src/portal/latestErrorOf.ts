type Action = { error: Error | null; submittedAt: number };

/** The error of the action that was started last: that of an earlier one is over when another one has been tried. */
export function latestErrorOf(...actions: readonly Action[]): Error | null {
  return actions.toSorted((a, b) => b.submittedAt - a.submittedAt)[0]?.error ?? null;
}
