import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json";

const ROOT = join(import.meta.dir, "..");

/** The parts of a workflow that these tests read. */
type Workflow = {
  jobs: Record<string, { strategy?: { matrix: { script: string[] } }; steps: { run?: string; uses?: string }[] }>;
};

async function readWorkflow(name: string): Promise<Workflow> {
  // The shape is that of GitHub's workflow syntax.
  return Bun.YAML.parse(await Bun.file(join(ROOT, ".github/workflows", name)).text()) as Workflow;
}

describe("the workflows", () => {
  test("of a change runs the script that CI runs", async () => {
    const { jobs } = await readWorkflow("ci.yaml");
    const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = "" }) => run));
    expect(commands.join("\n")).toContain("bash .ci/run");
    expect(existsSync(join(ROOT, ".ci/run"))).toBe(true);
  });

  test("of the night runs every long suite, each by a script of package.json", async () => {
    const { jobs } = await readWorkflow("nightly.yaml");
    const scripts = Object.values(jobs).flatMap(({ strategy }) => strategy?.matrix.script ?? []);
    expect(scripts).toEqual(expect.arrayContaining(["test:deep", "test:nodes", "test:soak", "test:web"]));
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });
});
