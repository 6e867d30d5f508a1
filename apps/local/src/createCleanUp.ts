export type CleanUp = {
  /** Adds a step; steps run in reverse order. */
  add(step: () => Promise<unknown>): void;
  /** Runs every step once, also after one that failed, and throws the first failure. */
  run(): Promise<void>;
};

/** Steps run in reverse order: the API ends before its database, the database before its folder is removed. */
export function createCleanUp(): CleanUp {
  const steps: (() => Promise<unknown>)[] = [];
  return {
    add: (step) => void steps.push(step),
    async run() {
      const failures: unknown[] = [];
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
        await step().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
