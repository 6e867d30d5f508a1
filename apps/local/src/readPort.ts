import { ConfigError } from "@dueday/config/configError";
import { integer } from "@dueday/config/kinds";
import { createSettingsReader } from "@dueday/config/settingsReader";

/**
 * Reads the setting of a port; 0 stands for any free port.
 *
 * @throws ConfigError
 */
export function readPort(env: Readonly<Record<string, string | undefined>>, name: string, usual: number): number {
  const reader = createSettingsReader(env);
  const port = reader.read(name, integer(0, 65_535), usual);
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return port;
}
