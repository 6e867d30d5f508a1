import type { Traces, TracesOptions } from "./traces";

type Settings = Omit<TracesOptions, "endpoint"> & {
  /** Null: nothing is sent. */
  endpoint: string | null;
};

/** Starts the traces of a process; null where they are off (no collector, or 0 percent). The libraries are loaded only where they are on. */
export async function startTraces({ endpoint, percent, ...options }: Settings): Promise<Traces | null> {
  if (endpoint === null || percent === 0) return null;
  const { createTraces } = await import("./createTraces");
  return createTraces({ endpoint, percent, ...options });
}
