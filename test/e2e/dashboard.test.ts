import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const METRIC = /\b(?:dueday|process)_[a-z_]+/g;

/** What prom-client adds to the name of a histogram. */
const SUFFIX = /_(?:bucket|sum|count)$/;

/** Every name of a metric in the sources, e.g. `name: "dueday_days_behind"`. */
async function metricsInSources(): Promise<Set<string>> {
  const names = new Set<string>();
  for (const folder of ["packages/metrics/src", "apps/api/src/metrics", "apps/worker/src/metrics", "apps/keeper/src"]) {
    for await (const file of new Bun.Glob("*.ts").scan(join(ROOT, folder))) {
      const text = await Bun.file(join(ROOT, folder, file)).text();
      for (const [, name = ""] of text.matchAll(/["`]((?:dueday|process)_[a-z_${}]+)["`]/g)) {
        for (const part of ["api", "worker"]) names.add(name.replace(/\$\{part\}/, part));
      }
    }
  }
  return names;
}

test.each(["ops/alerts.yaml", "ops/grafana/dueday.json"])("%s asks for metrics that exist", async (file) => {
  const known = await metricsInSources();
  const text = (await Bun.file(join(ROOT, file)).text()).replaceAll("dueday_(api|worker)_", "dueday_api_");
  const asked = [...text.matchAll(METRIC)].map(([name]) => name);
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter((name) => !known.has(name) && !known.has(name.replace(SUFFIX, "")))).toEqual([]);
});
