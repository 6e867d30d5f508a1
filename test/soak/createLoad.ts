export type LoadOptions = {
  milliseconds: number;
  /**
   * Requests due each second; one that is sent late, after a late answer, has the delay in its latency. Null: each follows the answer to the
   * one before.
   */
  perSecond: number | null;
};

export type Load = {
  run(options: LoadOptions): Promise<{ perSecond: number; p99: number; failures: number }>;
};

const AT_ONCE = 32;

/** Reads as keepers and dashboards do: most of them polled, with the tag of the last answer, some from chain and index. */
export function createLoad(url: string, ids: readonly string[]): Load {
  const polled = ["/remit/readiness", "/protocol/state", "/subscriptions/due", "/approved-tokens"];
  const others = [`/subscriptions/${ids[0]}`, `/subscriptions/${ids[1]}/history?first=50`, "/catalog"];
  const paths = Array.from({ length: 40 }, (_, index) =>
    index % 20 === 19 ? others[Math.floor(index / 20) % others.length] : polled[index % polled.length],
  ).map((path) => path ?? "/catalog");
  const tags = new Map<string, string>();

  /** Whether the answer was as expected. */
  async function ask(turn: number): Promise<boolean> {
    const path = paths[turn % paths.length] ?? "/catalog";
    // Every other client has no earlier answer.
    const known = turn % 2 === 0 ? tags.get(path) : undefined;
    const response = await fetch(url + path, known === undefined ? {} : { headers: { "If-None-Match": known } });
    await response.arrayBuffer();
    const tag = response.headers.get("etag");
    if (tag !== null) tags.set(path, tag);
    return response.ok || response.status === 304;
  }

  return {
    async run({ milliseconds, perSecond }) {
      const latencies: number[] = [];
      let failures = 0;
      const startedAt = performance.now();
      const endsAt = startedAt + milliseconds;

      async function client(index: number): Promise<void> {
        const intervalMs = perSecond === null ? 0 : (AT_ONCE * 1000) / perSecond;
        for (let turn = index; performance.now() < endsAt; turn += AT_ONCE) {
          const dueAt = startedAt + (turn / AT_ONCE) * intervalMs;
          const waitMs = dueAt - performance.now();
          if (waitMs > 0) await Bun.sleep(waitMs);
          const sentAt = perSecond === null ? performance.now() : Math.max(startedAt, dueAt);
          if (!(await ask(turn))) failures++;
          latencies.push(performance.now() - sentAt);
        }
      }

      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => client(index)));
      const sorted = Float64Array.from(latencies).sort();
      return {
        perSecond: (latencies.length * 1000) / (performance.now() - startedAt),
        p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
        failures,
      };
    },
  };
}
