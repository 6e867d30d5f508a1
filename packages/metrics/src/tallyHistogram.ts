import { Histogram, type HistogramConfiguration } from "prom-client";

/** What was observed under one set of labels. */
type Tally = { labels: Record<string, string>; counts: number[]; sum: number };

/**
 * A histogram for what happens tens of thousands of times a second: an observation is a look-up and an addition, where the
 * library sorts and joins the labels each time. The values of its labels may hold no blank.
 */
export class TallyHistogram<L extends string> extends Histogram<L> {
  readonly #tallies = new Map<string, Tally>();
  readonly #buckets: readonly number[];
  readonly #labelNames: readonly L[];
  readonly #description: { name: string; help: string };

  constructor(options: HistogramConfiguration<L> & { buckets: number[]; labelNames: readonly L[] }) {
    super(options);
    this.#buckets = options.buckets;
    this.#labelNames = options.labelNames;
    this.#description = { name: options.name, help: options.help };
  }

  /** Notes one value. `key` holds the values of all labels, in the order of their names, with a blank between each two. */
  note(key: string, value: number): void {
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      const values = key.split(" ");
      const labels = Object.fromEntries(this.#labelNames.map((name, index) => [name, values[index] ?? ""]));
      tally = { labels, counts: new Array<number>(this.#buckets.length + 1).fill(0), sum: 0 };
      this.#tallies.set(key, tally);
    }
    let bucket = 0;
    while (bucket < this.#buckets.length && value > (this.#buckets[bucket] ?? 0)) bucket++;
    tally.counts[bucket] = (tally.counts[bucket] ?? 0) + 1;
    tally.sum += value;
  }

  /** What the registry prints: the library asks for this first. */
  async getForPromString() {
    const values = [...this.#tallies.values()].flatMap((tally) => this.#valuesOf(tally));
    return { ...this.#description, type: "histogram", aggregator: "sum", values };
  }

  #valuesOf({ labels, counts, sum }: Tally) {
    const { name } = this.#description;
    let count = 0;
    const buckets = counts.map((each, index) => {
      count += each;
      const le = String(this.#buckets[index] ?? "+Inf");
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
