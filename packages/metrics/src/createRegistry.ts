import { Gauge, Registry } from "prom-client";

export type { Registry };

/** Creates the registry of a process's metrics, with its memory, CPU time and start time. */
export function createRegistry(): Registry {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory of the process",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: "process_cpu_seconds_total",
    help: "CPU time of the process, user and system",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.set((user + system) / 1e6);
    },
  });
  new Gauge({ name: "process_start_time_seconds", help: "When the process started, unix seconds", registers }).set(
    (Date.now() - performance.now()) / 1000,
  );
  return registry;
}
