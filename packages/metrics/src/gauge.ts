import { Gauge, type Registry } from "prom-client";

/** One value with its labels, e.g. `{ value: 3, labels: { chain: "8453" } }`. */
export type Sample = { value: number; labels?: Record<string, string> };

export type GaugeOptions = {
  name: string;
  help: string;
  labels?: readonly string[];
  /** Called at every scrape. Samples that it no longer returns are no longer exposed. Must not throw. */
  read(): readonly Sample[] | Promise<readonly Sample[]>;
};

/** Registers a gauge whose values are read at each scrape. */
export function gauge(registry: Registry, { name, help, labels = [], read }: GaugeOptions): void {
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    async collect() {
      const samples = await read();
      this.reset();
      for (const sample of samples) this.set(sample.labels ?? {}, sample.value);
    },
  });
}
