import { chainSettings } from "./chains";
import type { Environment, SettingsReader } from "./settingsReader";

/** Names that nobody but this service would choose. */
const OURS = /^(?:CHAIN_[A-Z0-9]+_|LIMIT_[A-Z]+_|SCAN_|STALE_|DEVELOPER_|SUBGRAPH_|MCP_ALLOWED|TRUSTED_PROX)/;
const OF_A_CHAIN = /^CHAIN_[0-9]+_/;

/**
 * Reports settings that look like ours and are none, with the likeliest name that was meant: a limit or RPC URL under a wrong
 * name would be passed over in silence. Settings of chains that are not in CHAINS may stay in the environment.
 */
export function reportUnknownSettings(env: Environment, reader: SettingsReader): void {
  for (const setting of Object.keys(env)) {
    if (!OURS.test(setting) || reader.known.has(setting)) continue;
    const prefix = OF_A_CHAIN.exec(setting)?.[0];
    const candidates = prefix === undefined ? [...reader.known] : chainSettings.map((name) => prefix + name);
    if (candidates.includes(setting)) continue;
    reader.fault(setting, `is not a setting: did you mean ${nearest(setting, candidates)}? Correct or remove it`);
  }
}

function nearest(name: string, candidates: readonly string[]): string {
  const ranked = candidates.map((candidate) => ({ candidate, edits: countEdits(name, candidate) }));
  return ranked.toSorted((a, b) => a.edits - b.edits)[0]?.candidate ?? "another name";
}

/** Insertions, deletions and replacements that turn one text into the other (Levenshtein). */
function countEdits(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
