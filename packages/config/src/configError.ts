/** One setting that is wrong. Its value is never repeated: it may be a secret, or a URL that holds one. */
export type ConfigFault = {
  setting: string;
  /** What is wrong, and what to do. */
  problem: string;
};

/** Everything that is wrong with the settings, at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(readonly faults: readonly ConfigFault[]) {
    super(
      ["The settings can't be used:", ...faults.map(({ setting, problem }) => `  ${setting}: ${problem}`)].join("\n"),
    );
  }
}
