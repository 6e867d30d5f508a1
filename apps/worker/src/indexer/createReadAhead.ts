/** Results of consecutive steps, worked on side by side and returned in order. */
export type ReadAhead<T> = {
  /** Resolves when `next` would not wait. Never rejects. */
  ready(): Promise<void>;
  /**
   * The next result, and those after it that have arrived, as long as all together are at most `most` in size. Empty at the end.
   *
   * @throws what the first of them failed with
   */
  next(most: number): Promise<T[]>;
};

export type ReadAheadOptions<T> = {
  /** Begins the next step; null after the last one. */
  begin(): Promise<T> | null;
  sizeOf(result: T): number;
  /** Steps under way at a time. */
  inFlight: number;
  /** No step begins while the waiting results together are larger than this. */
  mostWaiting: number;
};

type Step<T> = { done: Promise<T>; result: { value: T; size: number } | null };

/** Works on later steps while the results of earlier ones are used. A step that fails is the last one. */
export function createReadAhead<T>({ begin, sizeOf, inFlight, mostWaiting }: ReadAheadOptions<T>): ReadAhead<T> {
  const steps: Step<T>[] = [];
  let running = 0;
  let waiting = 0;
  let hasEnded = false;

  function fill(): void {
    while (!hasEnded && running < inFlight && waiting <= mostWaiting) {
      const done = begin();
      if (done === null) {
        hasEnded = true;
        return;
      }
      const step: Step<T> = { done, result: null };
      steps.push(step);
      running++;
      // A later step may fail while an earlier one is awaited: its failure is handled in its turn.
      done.then((value) => arrive(step, value), fail);
    }
  }

  function arrive(step: Step<T>, value: T): void {
    step.result = { value, size: sizeOf(value) };
    waiting += step.result.size;
    running--;
    fill();
  }

  function fail(): void {
    hasEnded = true;
  }

  return {
    async ready() {
      fill();
      await steps[0]?.done.catch(() => {});
    },
    async next(most) {
      fill();
      await steps[0]?.done;
      const results: T[] = [];
      let size = 0;
      for (let [step] = steps; step?.result != null; [step] = steps) {
        size += step.result.size;
        if (results.length > 0 && size > most) break;
        results.push(step.result.value);
        waiting -= step.result.size;
        steps.shift();
      }
      return results;
    },
  };
}
