import { Gauge, Registry } from "prom-client";

export type { Registry };

/** The metrics of one process, with what it takes of the machine. */
export function createRegistry(): Registry {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Memory of the process",
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
