let turn: Promise<void> | null = null;

/**
 * Resolves when this turn of the event loop has read all requests that have arrived. They then go on together, step by step: under load
 * this saves a quarter of a polled read's CPU time (docs/decisions/request-path-cost.md).
 */
export function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = null;
      resolve();
    });
  });
  return turn;
}
