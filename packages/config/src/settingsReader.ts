import type { StaticDecode, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { ConfigFault } from "./configError";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings one by one and collects their faults, instead of stopping at the first. */
export type SettingsReader = {
  /** Returns the setting's value, or `fallback` where it is unset, empty or invalid. */
  read<T extends TSchema>(setting: string, kind: T, fallback: StaticDecode<T>): StaticDecode<T>;
  /** Returns the setting's value, or undefined where it is unset, empty or invalid. */
  readOptional<T extends TSchema>(setting: string, kind: T): StaticDecode<T> | undefined;
  /** Whether the setting has a value, valid or not. */
  isSet(setting: string): boolean;
  /** Adds a fault. `problem` continues a sentence that begins with the name of the setting. */
  fault(setting: string, problem: string): void;
  readonly faults: readonly ConfigFault[];
  /** The names of all settings that were read. */
  readonly known: ReadonlySet<string>;
};

export function createSettingsReader(env: Environment): SettingsReader {
  const faults: ConfigFault[] = [];
  const known = new Set<string>();

  function readOptional<T extends TSchema>(setting: string, kind: T): StaticDecode<T> | undefined {
    known.add(setting);
    const value = env[setting]?.trim();
    if (value === undefined || value === "") return undefined;
    try {
      return Value.Decode(kind, value);
    } catch {
      // The decoder's own message would repeat the value.
      faults.push({ setting, problem: `must be ${kind.description}` });
      return undefined;
    }
  }

  return {
    readOptional,
    read: (setting, kind, fallback) => readOptional(setting, kind) ?? fallback,
    isSet: (setting) => (env[setting]?.trim() ?? "") !== "",
    fault: (setting, problem) => void faults.push({ setting, problem }),
    faults,
    known,
  };
}
