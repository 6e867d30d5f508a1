import { closest } from "fastest-levenshtein";
import { chainSettings } from "./chains";
import type { Environment, SettingsReader } from "./settingsReader";

/** Prefixes of names that belong to this service, not to other programs in the same environment. */
const OURS =
  /^(?:CHAIN_[A-Z0-9]+_|LIMIT_[A-Z]+_|SCAN_|STALE_|DEVELOPER_|SUBGRAPH_|MCP_ALLOWED|TRUSTED_PROX|TRUSTED_CLIENT|EVENTS_RETENTION|MAX_KEYS_PER|WEBHOOKS_TO_)/;
const OF_A_CHAIN = /^CHAIN_[0-9]+_/;
/** Settings of a chain in earlier releases. If they were ignored, an operator would believe that they still apply. */
const REPLACED = new Map([
  [
    "FINALITY_BLOCKS",
    "is replaced by FINALITY_SECONDS: blocks are final by the node's tags, and by their age where it has none. Remove this setting; CHAIN_<id>_FINALITY_SECONDS sets that age",
  ],
]);

/**
 * Reports names that begin like a setting of this service but are not one, with the most similar valid name: a misspelled limit
 * or RPC URL would otherwise be ignored silently. Settings of chains that are not in CHAINS are allowed.
 */
export function reportUnknownSettings(env: Environment, reader: SettingsReader): void {
  for (const setting of Object.keys(env)) {
    if (!OURS.test(setting) || reader.known.has(setting)) continue;
    const prefix = OF_A_CHAIN.exec(setting)?.[0];
    const candidates = prefix === undefined ? [...reader.known] : chainSettings.map((name) => prefix + name);
    if (candidates.includes(setting)) continue;
    const replaced = REPLACED.get(setting.slice(prefix?.length));
    if (replaced !== undefined) {
      reader.fault(setting, replaced);
      continue;
    }
    reader.fault(
      setting,
      `is not a setting of this service: did you mean ${closest(setting, candidates)}? Rename or remove it`,
    );
  }
}
