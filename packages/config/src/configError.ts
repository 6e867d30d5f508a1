/** One invalid setting. Its value is never repeated: it may be a secret, or a URL that contains one. */
export type ConfigFault = {
  setting: string;
  /** Continues a sentence that begins with the name of the setting: what is wrong, what is allowed, what to do. */
  problem: string;
};

/** All invalid settings. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(readonly faults: readonly ConfigFault[]) {
    super(["Invalid settings:", ...faults.map(({ setting, problem }) => `  ${setting}: ${problem}`)].join("\n"));
  }
}
