import { type Address, getAddress, type Hex } from "viem";
import { validationError } from "../errors";
import { toLowerCase } from "../text/toLowerCase";

/** Entries of one list. */
export const MOST_ENTRIES = 50;

const list = (digits: number, one: string) => ({
  pattern: `^0x[0-9a-fA-F]{${digits}}(?:,0x[0-9a-fA-F]{${digits}}){0,${MOST_ENTRIES - 1}}$`,
  // Each has 0x before it, and a comma after it but for the last.
  maxLength: MOST_ENTRIES * (digits + 3) - 1,
  expects: `${one}: 0x and ${digits} hex digits, or up to ${MOST_ENTRIES} of them with commas between`,
});

/** The lists of an input: subscribers, providers, ids. Not schemas, which would bring TypeBox into the SDK's local mode. */
export const paymentLists = {
  account: list(40, "an address"),
  provider: list(40, "an address"),
  subscription: list(64, "an id"),
};

/** Which payments are asked for: those that fit all lists that are given. */
export type PaymentFilterInput = { [name in keyof typeof paymentLists]?: string | undefined };

/** Which payments are meant: those that fit every set. A set that is null has everything in it. */
export type PaymentFilter = {
  /** Subscribers, checksummed. */
  accounts: ReadonlySet<Address> | null;
  /** Checksummed. */
  providers: ReadonlySet<Address> | null;
  /** In lower case. */
  ids: ReadonlySet<Hex> | null;
};

/**
 * The payments that an input asks for; null where it names none, so that all are meant.
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

/** A text that is the same for filters that mean the same. */
export function filterKey(filter: PaymentFilter | null): string {
  if (filter === null) return "";
  return [filter.accounts, filter.providers, filter.ids].map((set) => set && [...set].sort().join(",")).join(" ");
}
