import { join } from "node:path";
import type { Scenario } from "./scenario";

const FILE = join(import.meta.dir, "../../vectors/scenarios.json.gz");

/** Loads the recorded scenarios, ordered by number. */
export async function loadScenarios(): Promise<Scenario[]> {
  const bytes = Bun.gunzipSync(await Bun.file(FILE).bytes());
  return JSON.parse(new TextDecoder().decode(bytes));
}
