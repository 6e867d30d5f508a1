import { isAddress } from "viem";
import { isHexOf } from "../format/isHexOf";

/** Selects the payments that match every list that is given. Each list is a text of up to 50 values, separated by commas. */
export type PaymentFilter = {
  account?: string | undefined;
  provider?: string | undefined;
  subscription?: string | undefined;
};

/** Properties of a component that shows a filter and changes it. */
export type FilterProps = { filter: PaymentFilter; onChange(filter: PaymentFilter): void };

type FilterName = keyof PaymentFilter;

/** The lists of a filter, and what each of their entries is. */
export const filterLists = {
  account: { title: "Accounts", bytes: 20, entry: "an address: 0x followed by 40 hex digits" },
  provider: { title: "Providers", bytes: 20, entry: "an address: 0x followed by 40 hex digits" },
  subscription: { title: "Plans", bytes: 32, entry: "the id of a subscription: 0x followed by 64 hex digits" },
} as const;

export const filterNames: readonly FilterName[] = ["account", "provider", "subscription"];

/** The most entries that the service accepts in one list. */
export const MOST_ENTRIES = 50;

/** More characters than the longest valid list has. A longer text is cut, and the service refuses it. */
const MOST_CHARACTERS = 5_000;

/** The filter in an address. Mistyped values stay in it, so that the service refuses them: without them the page would show other payments. */
export function filterIn(search: Record<string, unknown>): PaymentFilter {
  const textOf = (value: unknown) =>
    typeof value === "string" && value !== "" ? value.slice(0, MOST_CHARACTERS) : undefined;
  return {
    account: textOf(search.account),
    provider: textOf(search.provider),
    subscription: textOf(search.subscription),
  };
}

export function isFiltered(filter: PaymentFilter): boolean {
  return filterNames.some((name) => filter[name] !== undefined);
}

/** The entries of a list as a reader types them: separated by commas, spaces or line breaks. Duplicates are removed, also where they differ in case. */
export function entriesOf(text: string | undefined): string[] {
  const entries = (text ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  return [...new Map(entries.map((entry) => [entry.toLowerCase(), entry])).values()];
}

/** Why the service would refuse a list; undefined where it would not. */
export function listFault(name: FilterName, entries: readonly string[]): string | undefined {
  const { bytes, entry } = filterLists[name];
  const wrong = entries.find((each) => !isHexOf(bytes, each));
  if (wrong !== undefined) return `“${wrong.slice(0, 80)}” is not ${entry}`;
  const mistyped = bytes === 20 ? entries.find(hasWrongChecksum) : undefined;
  if (mistyped !== undefined) return `“${mistyped}” has a wrong checksum: compare it with its source`;
  if (entries.length > MOST_ENTRIES) return `has ${entries.length} entries, and ${MOST_ENTRIES} are the most`;
  return undefined;
}

/** Whether an address in mixed case does not have the case of its checksum (EIP-55): a digit or the case of a letter was mistyped. */
function hasWrongChecksum(address: string): boolean {
  // isAddress accepts lower case and the checksum; upper case throughout is accepted too.
  return /[a-f]/.test(address.slice(2)) && !isAddress(address);
}
