import { type Static, Type } from "@sinclair/typebox";
import { Address, Bytes32, DecimalString, Frequency } from "../schema";

/** A subscription as a caller believes it to be. Every field that is given has to equal the chain's record. */
export const SubscriptionObject = Type.Object(
  {
    id: Bytes32,
    amount: Type.Optional({ ...DecimalString, expects: 'a decimal number of whole tokens, such as "12.50"' }),
    provider: Type.Optional(Address),
    token: Type.Optional(Address),
    cancelled: Type.Optional(Type.Boolean()),
    frequency: Type.Optional(Frequency),
    dueDay: Type.Optional(Type.Integer({ minimum: 1, maximum: 365 })),
  },
  {
    description:
      "The subscription as a read returns it, amount in whole tokens. A field that differs from the chain is an issue",
  },
);
export type SubscriptionObject = Static<typeof SubscriptionObject>;
