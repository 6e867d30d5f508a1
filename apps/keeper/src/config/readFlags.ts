import { parseArgs } from "node:util";
import { chainPath, chainSettings, processSettings } from "./settingNames";

export type Command = "run" | "check" | "init" | "health" | "help" | "version";

export type Flags = {
  command: Command;
  /** The file of settings; undefined: keeper.toml in the current folder, if there is one. */
  configFile: string | undefined;
  /** The only chain to serve. Flags for the settings of a chain apply to it. */
  chain: string | undefined;
  dryRun: boolean;
  once: boolean;
  /** Values of settings by path; those of a chain under `chainFlags`. */
  settings: ReadonlyMap<string, string>;
  chainFlags: ReadonlyMap<string, string>;
  /** `--price TOKEN:WEI`. */
  prices: readonly string[];
};

const commands = new Map<string, Command>([
  ["", "run"],
  ["run", "run"],
  ["config check", "check"],
  ["init", "init"],
  ["health", "health"],
  ["help", "help"],
]);

const A_KEY = /(?:^|[^0-9a-fA-F])(?:0x)?[0-9a-fA-F]{64}(?![0-9a-fA-F])/;

/** Reads the command line, without the program's name. @returns the flags, or the faults */
export function readFlags(argv: readonly string[]): Flags | { faults: string[] } {
  // Other users of the machine can read the arguments of a process.
  if (argv.some((argument) => A_KEY.test(argument))) {
    return {
      faults: ["a private key is among the arguments, where other users can read it: use --key-file or --keystore"],
    };
  }
  const all = [...processSettings, ...chainSettings].flatMap(({ flag, isSwitch }) => {
    const type = isSwitch ? ("boolean" as const) : ("string" as const);
    return flag === undefined ? [] : [[flag, { type, multiple: flag === "rpc" }] as const];
  });
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      strict: true,
      allowPositionals: true,
      options: {
        ...Object.fromEntries(all),
        config: { type: "string" },
        chain: { type: "string" },
        price: { type: "string", multiple: true },
        "dry-run": { type: "boolean", default: false },
        once: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        version: { type: "boolean", default: false },
      },
    });
    const command = values.help ? "help" : values.version ? "version" : commands.get(positionals.join(" "));
    if (command === undefined) return { faults: [`unknown command "${positionals.join(" ")}": see keeper --help`] };
    // The type of the options that come from the table is lost in `Object.fromEntries`.
    const given = new Map<string, unknown>(Object.entries(values));
    return {
      command,
      configFile: values.config,
      chain: values.chain,
      dryRun: values["dry-run"],
      once: values.once,
      settings: valuesOf(processSettings, given),
      chainFlags: valuesOf(chainSettings, given),
      prices: values.price ?? [],
    };
  } catch (error) {
    return { faults: [`${error instanceof Error ? error.message : "unreadable arguments"}: see keeper --help`] };
  }
}

function valuesOf(names: typeof processSettings, given: ReadonlyMap<string, unknown>): Map<string, string> {
  return new Map(
    names.flatMap(({ path, flag = "" }) => {
      const value = given.get(flag);
      return value === undefined ? [] : [[path, Array.isArray(value) ? value.join(",") : String(value)] as const];
    }),
  );
}

/** Names of flags by the path of their setting on `chain`, for messages. */
export function flagNames(flags: Flags, chain: string): Map<string, string> {
  const flagOf = ({ flag = "" }: (typeof processSettings)[number]) => `--${flag}`;
  return new Map([
    ...processSettings.flatMap((each) => (flags.settings.has(each.path) ? [[each.path, flagOf(each)] as const] : [])),
    ...chainSettings.flatMap((each) =>
      flags.chainFlags.has(each.path) ? [[chainPath(chain, each.path), flagOf(each)] as const] : [],
    ),
  ]);
}
