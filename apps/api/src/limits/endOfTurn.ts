let turn: Promise<void> | null = null;

/**
 * Resolves when this turn of the event loop has read what came in. The requests that it read then go on together, step by step: under load
 * that takes a quarter of a polled read's CPU time away (docs/decisions/request-path-cost.md).
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
