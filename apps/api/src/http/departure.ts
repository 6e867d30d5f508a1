/** Holds an answer until the turn of the event loop ends. */
export type Departure = (response: Response) => Promise<Response>;

/**
 * Lets all answers of one turn of the event loop leave together, at its end. A client or proxy on the same machine is then woken
 * once for many answers: to wake it for each costs more than to make a cached one. A request that is alone in its turn
 * waits for nothing.
 */
export function createDeparture(): Departure {
  let waiting: (() => void)[] = [];

  function leave(): void {
    const leaving = waiting;
    waiting = [];
    for (const go of leaving) go();
  }

  return (response) =>
    new Promise((resolve) => {
      if (waiting.push(() => resolve(response)) === 1) setImmediate(leave);
    });
}
