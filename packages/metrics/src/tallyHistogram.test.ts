import { expect, test } from "bun:test";
import fc from "fast-check";
import { Histogram, Registry } from "prom-client";
import { TallyHistogram } from "./tallyHistogram";

const buckets = [0.001, 0.01, 0.1, 1];
const describe = { name: "seconds", help: "Time", labelNames: ["operation", "lane"] as const, buckets };

test("it prints what the library's own histogram prints", async () => {
  const observation = fc.record({
    operation: fc.constantFrom("search", "get_status"),
    lane: fc.constantFrom("free", "developer"),
    // Sums of these are the same in any order.
    value: fc.integer({ min: 0, max: 64 }).map((number) => number / 32),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(observation), async (observations) => {
      const [theirs, ours] = [new Registry(), new Registry()];
      const library = new Histogram({ ...describe, registers: [theirs] });
      const tally = new TallyHistogram({ ...describe, registers: [ours] });
      for (const { operation, lane, value } of observations) {
        library.observe({ operation, lane }, value);
        tally.note(`${operation} ${lane}`, value);
      }
      expect(linesOf(await ours.metrics())).toEqual(linesOf(await theirs.metrics()));
    }),
  );
});

/** Lines in any order, and labels in any order within them. */
function linesOf(text: string): string[] {
  const sortLabels = (line: string) =>
    line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(",").sort().join(",")}}`);
  return text.trim().split("\n").map(sortLabels).sort();
}
