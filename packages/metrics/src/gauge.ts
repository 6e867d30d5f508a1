import { Gauge, type Registry } from "prom-client";

/** One value with its labels, e.g. `{ chain: "8453", value: 3 }`. */
export type Sample = { value: number; labels?: Record<string, string> };

export type GaugeOptions = {
  name: string;
  help: string;
  labels?: readonly string[];
  /** Asked at every scrape: what it no longer names is no longer told. Must not throw. */
  read(): readonly Sample[] | Promise<readonly Sample[]>;
};

/** A gauge that is read when it is asked for, and costs nothing in between. */
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
