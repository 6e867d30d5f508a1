import { listOf, pagedListOf } from "@dueday/core/paging";
import {
  Address,
  CalendarDate,
  DecimalString,
  described,
  oneOf,
  SignedDecimalString,
  SignedTokenUnits,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "@dueday/core/schema";
import { type Static, Type } from "@sinclair/typebox";
import { chainAnswer } from "../../operation/chainAnswer";
import { Cursor } from "../../operation/cursor";
import { Payment } from "./payment";

const raw = { ...TokenUnits, description: "The same in token units" };

/** What moved in one token. */
export const StatementTotal = Type.Object({
  token: Address,
  tokenSymbol: UntrustedText,
  tokenDecimals: TokenDecimals,
  received: { ...DecimalString, description: "As provider, by charges" },
  receivedRaw: raw,
  returnedToProvider: { ...DecimalString, description: "As provider: fee balances of subscribers that left" },
  returnedToProviderRaw: raw,
  paid: { ...DecimalString, description: "As subscriber, by charges" },
  paidRaw: raw,
  returnedToSubscriber: { ...DecimalString, description: "As subscriber: fee balances that came back" },
  returnedToSubscriberRaw: raw,
  net: described(
    SignedDecimalString,
    "received + returnedToProvider - paid + returnedToSubscriber: the sum of net of all entries",
  ),
  netRaw: { ...SignedTokenUnits, description: "The same in token units" },
});

/** A payment on one side of the account. */
const Entry = Type.Object({
  side: oneOf(["received", "paid"], "received: as provider. paid: as subscriber"),
  ...Payment.properties,
});

/** What an account paid and received. */
export const AccountStatement = chainAnswer({
  account: Address,
  fromDate: { ...CalendarDate, description: "First day, UTC" },
  toDate: { ...CalendarDate, description: "Last day, UTC" },
  totals: described(listOf(StatementTotal), "Sums of all these days, the same on every page; one for each token"),
  entries: described(pagedListOf(Entry), "Newest first"),
  hasMore: Type.Boolean({ description: "Whether there are older ones" }),
  nextAfter: Type.Optional(described(Cursor, "after of the next page; present while there is one")),
});
export type AccountStatement = Static<typeof AccountStatement>;
