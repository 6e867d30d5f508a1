import type { Scenario } from "@dueday/devnet/replay/scenario";

/** The recorded histories of the deployed protocol (protocol part 6). */
export async function readScenarios(): Promise<Scenario[]> {
  const file = new URL("../../../devnet/vectors/scenarios.json.gz", import.meta.url);
  return JSON.parse(new TextDecoder().decode(Bun.gunzipSync(await Bun.file(file).bytes())));
}
