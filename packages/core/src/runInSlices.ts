/** How long the steps run before other work of the process has its turn. */
const SLICE_MS = 10;

/** Runs `steps` to their end in slices of some milliseconds, and passes each step to `onStep`. Returns how they ended. */
export async function runInSlices<Step, Ending>(
  steps: Iterator<Step, Ending>,
  onStep: (step: Step) => void,
): Promise<Ending> {
  let sliceStarted = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    onStep(step.value);
    if (performance.now() - sliceStarted < SLICE_MS) continue;
    await nextTurn();
    sliceStarted = performance.now();
  }
}

/** Lets other work of the process have its turn, such as keeping the lease of a chain. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => schedule(resolve));
}

/** Browsers have no setImmediate. */
const schedule: (run: () => void) => unknown = globalThis.setImmediate ?? ((run) => setTimeout(run, 0));
