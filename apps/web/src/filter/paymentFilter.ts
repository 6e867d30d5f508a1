import { isHexOf } from "../format/isHexOf";

/** Which payments are meant: those that fit every list that is given. Each is a text of up to 50 values with commas between. */
export type PaymentFilter = {
  account?: string | undefined;
  provider?: string | undefined;
  subscription?: string | undefined;
};

/** Of what shows a filter and lets a reader choose another one. */
export type FilterProps = { filter: PaymentFilter; onChange(filter: PaymentFilter): void };

type FilterName = keyof PaymentFilter;

/** The lists of a filter, and what each of their entries is. */
export const filterLists = {
  account: { title: "Accounts", bytes: 20, entry: "an address: 0x followed by 40 hex digits" },
  provider: { title: "Providers", bytes: 20, entry: "an address: 0x followed by 40 hex digits" },
  subscription: { title: "Plans", bytes: 32, entry: "the id of a subscription: 0x followed by 64 hex digits" },
} as const;

export const filterNames: readonly FilterName[] = ["account", "provider", "subscription"];

/** What the service takes in one list. */
export const MOST_ENTRIES = 50;

/** Longer than the longest list. */
const MOST_CHARACTERS = 5_000;

/** The filter in an address. What is mistyped stays in it: the service says so, where another filter would show other payments. */
export function filterIn(search: Record<string, unknown>): PaymentFilter {
  const textOf = (value: unknown) =>
    typeof value === "string" && value !== "" && value.length <= MOST_CHARACTERS ? value : undefined;
  return {
    account: textOf(search.account),
    provider: textOf(search.provider),
    subscription: textOf(search.subscription),
  };
}

export function isFiltered(filter: PaymentFilter): boolean {
  return filterNames.some((name) => filter[name] !== undefined);
}

/** The entries of a list as a reader types them: with commas, spaces or lines between, each once in whatever case. */
export function entriesOf(text: string | undefined): string[] {
  const entries = (text ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  return [...new Map(entries.map((entry) => [entry.toLowerCase(), entry])).values()];
}

/** Why the service would refuse a list; undefined where it would not. */
export function listFault(name: FilterName, entries: readonly string[]): string | undefined {
  const { bytes, entry } = filterLists[name];
  const wrong = entries.find((each) => !isHexOf(bytes, each));
  if (wrong !== undefined) return `“${wrong.slice(0, 80)}” is not ${entry}`;
  if (entries.length > MOST_ENTRIES) return `has ${entries.length} entries, and ${MOST_ENTRIES} are the most`;
  return undefined;
}
