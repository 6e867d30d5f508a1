import { closest } from "fastest-levenshtein";
import { chainPath, chainSettings, processSettings } from "./settingNames";

export type FlatToml = {
  /** Values as text by path; a list is joined by commas. */
  values: ReadonlyMap<string, string>;
  /** The tables `[chains.<id>.prices]` by chain: an entry for each token. */
  prices: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** The chains of the file. */
  chains: readonly string[];
  faults: { setting: string; problem: string }[];
};

const PRICES = "prices";

/** The settings of a keeper.toml by their paths. A name that is not a setting is a fault, because a misspelled limit would have no effect. */
export function flattenToml(text: string): FlatToml {
  const values = new Map<string, string>();
  const prices = new Map<string, Readonly<Record<string, unknown>>>();
  const faults: FlatToml["faults"] = [];
  const root = parse(text, faults);
  const chains = isTable(root.chains) ? Object.keys(root.chains) : [];
  const known = [
    ...processSettings.map(({ path }) => path),
    ...chains.flatMap((chain) => chainSettings.map(({ path }) => chainPath(chain, path))),
  ];
  const tables = new Set(["chains", ...known.flatMap(tablesAround), ...chains.map((chain) => `chains.${chain}`)]);
  const visit = (table: Readonly<Record<string, unknown>>, prefix: string) => {
    for (const [key, value] of Object.entries(table)) {
      const path = `${prefix}${key}`;
      const chain = /^chains\.([^.]+)\.prices$/.exec(path)?.[1];
      if (chain !== undefined && isTable(value)) prices.set(chain, value);
      else if (isTable(value) && tables.has(path)) visit(value, `${path}.`);
      else if (known.includes(path)) addValue(path, value);
      else
        faults.push({ setting: path, problem: `is not a setting: did you mean ${closest(path, [...known, PRICES])}?` });
    }
  };
  const addValue = (path: string, value: unknown) => {
    const written = textOf(value);
    if (written === null)
      faults.push({ setting: path, problem: "must be a text, a number, true or false, or a list of texts" });
    else values.set(path, written);
  };
  visit(root, "");
  return { values, prices, chains, faults };
}

function parse(text: string, faults: FlatToml["faults"]): Readonly<Record<string, unknown>> {
  try {
    const root: unknown = Bun.TOML.parse(text);
    return isTable(root) ? root : {};
  } catch (error) {
    // The parser's message quotes a value that lacks quotation marks, which may be a secret: the quote is cut off.
    const reason = error instanceof Error ? error.message.split('"')[0] : "it can't be parsed";
    faults.push({ setting: "keeper.toml", problem: `is not valid TOML: ${reason}` });
    return {};
  }
}

/** The tables that contain a setting: `a` and `a.b` for `a.b.c`. */
function tablesAround(path: string): string[] {
  const parts = path.split(".");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
}

function textOf(value: unknown): string | null {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(",");
  return null;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
