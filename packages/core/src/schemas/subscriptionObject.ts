import { type Static, Type } from "@sinclair/typebox";
import {
  Address,
  Bytes32,
  DecimalString,
  DueDay,
  described,
  Frequency,
  FrequencyLabel,
  oneLine,
  TokenDecimals,
  TokenUnits,
} from "../schema";

/** What an amount in a request has to be. */
export const AMOUNT_EXPECTS = 'a decimal number of whole tokens as a string, such as "12.5"';

/** A field that reads have besides the record of a subscription. It is accepted, so that a row can be sent as it was read, and ignored. */
const ignored = Type.Optional(Type.Unknown({ description: "Accepted as a read returns it, and ignored" }));
const ignoredFields = {
  planName: ignored,
  seller: ignored,
  totalSubscribers: ignored,
  details: ignored,
  status: ignored,
  statusLabel: ignored,
  subscribers: ignored,
  payments: ignored,
  state: ignored,
  chargeable: ignored,
  reason: ignored,
  nextDueDate: ignored,
  feeBalance: ignored,
  feeBalanceRaw: ignored,
};

/** A subscription as a caller believes it to be. Every field that is given has to equal the chain's record. */
export const SubscriptionObject = Type.Object(
  {
    id: { ...Bytes32, description: "Its id" },
    amount: Type.Optional({ ...DecimalString, expects: AMOUNT_EXPECTS, description: "In whole tokens" }),
    provider: Type.Optional({ ...Address, description: "Who created it" }),
    token: Type.Optional({ ...Address, description: "ERC-20 that it is paid in" }),
    cancelled: Type.Optional(Type.Boolean({ description: "By its provider" })),
    frequency: Type.Optional(Frequency),
    dueDay: Type.Optional(DueDay),
    tokenSymbol: Type.Optional(described(oneLine(4_096), "Of token")),
    amountRaw: Type.Optional({ ...TokenUnits, description: "amount in token units" }),
    tokenDecimals: Type.Optional(described(TokenDecimals, "Of token")),
    frequencyLabel: Type.Optional({ ...FrequencyLabel, description: "The name of frequency" }),
    ...ignoredFields,
  },
  {
    description:
      "The subscription as a read returns it, amount in whole tokens. A field that differs from the chain is an issue",
  },
);
export type SubscriptionObject = Static<typeof SubscriptionObject>;
