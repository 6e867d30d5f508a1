import type { Config } from "@dueday/config/parseConfig";

/** The secret that gives access to key management; null where key management is closed. */
export function managementSecret(config: Pick<Config, "adminSecret" | "developerKeysEnabled">): string | null {
  return config.developerKeysEnabled ? config.adminSecret : null;
}
