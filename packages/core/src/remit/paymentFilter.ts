import { type Address, getAddress, type Hex } from "viem";
import { validationError } from "../errors";
import { toLowerCase } from "../text/toLowerCase";

/** The most entries of one list. */
export const MOST_ENTRIES = 50;

const list = (digits: number, one: string) => ({
  pattern: `^0x[0-9a-fA-F]{${digits}}(?:,0x[0-9a-fA-F]{${digits}}){0,${MOST_ENTRIES - 1}}$`,
  // Each entry has 0x before its digits, and all but the last have a comma after them.
  maxLength: MOST_ENTRIES * (digits + 3) - 1,
  expects: `${one}: 0x and ${digits} hex digits, or up to ${MOST_ENTRIES} of them with commas between`,
});

/**
 * The lists of an input: subscribers, providers, ids. They are not schemas, because schemas would bring TypeBox into
 * the SDK's local mode.
 */
export const paymentLists = {
  account: list(40, "an address"),
  provider: list(40, "an address"),
  subscription: list(64, "an id"),
};

/** The input that selects payments: those that match every given list. */
export type PaymentFilterInput = { [name in keyof typeof paymentLists]?: string | undefined };

/** The filter that selects payments: those that match every set. Null matches all. */
export type PaymentFilter = {
  /** Subscribers, checksummed. */
  accounts: ReadonlySet<Address> | null;
  /** Checksummed. */
  providers: ReadonlySet<Address> | null;
  /** In lower case. */
  ids: ReadonlySet<Hex> | null;
};

/**
 * The filter of an input; null where the input has no list, so that all payments are selected.
 *
 * @throws ServiceError VALIDATION_ERROR for a list that is malformed or too long
 */
export function readPaymentFilter({ account, provider, subscription }: PaymentFilterInput): PaymentFilter | null {
  if (account === undefined && provider === undefined && subscription === undefined) return null;
  const [accounts, providers] = [entriesOf("account", account), entriesOf("provider", provider)];
  const ids = entriesOf("subscription", subscription);
  return {
    accounts: accounts && new Set(accounts.map((each) => getAddress(each))),
    providers: providers && new Set(providers.map((each) => getAddress(each))),
    ids: ids && new Set(ids),
  };
}

function entriesOf(name: keyof PaymentFilterInput, value: string | undefined): Hex[] | null {
  if (value === undefined) return null;
  const { pattern, expects } = paymentLists[name];
  if (!new RegExp(pattern).test(value)) throw validationError(name, "MALFORMED", `must be ${expects}`);
  return value.split(",").map(toLowerCase);
}

/** A text that is equal for filters with the same entries, in any order. */
export function filterKey(filter: PaymentFilter | null): string {
  if (filter === null) return "";
  return [filter.accounts, filter.providers, filter.ids].map((set) => set && [...set].sort().join(",")).join(" ");
}
