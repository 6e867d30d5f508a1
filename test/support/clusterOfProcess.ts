/** A PostgreSQL server for tests. */
export type TestCluster = { url: string; stop(): Promise<void> };

// On globalThis, because each test file gets its own modules, and files of one process share the cluster.
const clusterOfProcess: { [key: symbol]: Promise<TestCluster> | undefined } = globalThis;
const KEY = Symbol.for("dueday.testCluster");

/** The cluster of this process, which `start` starts on the first call. */
export function ofProcess(start: () => Promise<TestCluster>): Promise<TestCluster> {
  clusterOfProcess[KEY] ??= start();
  return clusterOfProcess[KEY];
}

/** Stops the cluster that this process started, if it did. Each test file calls it, so this module imports nothing. */
export async function stopTestCluster(): Promise<void> {
  const cluster = await clusterOfProcess[KEY];
  clusterOfProcess[KEY] = undefined;
  await cluster?.stop();
}
