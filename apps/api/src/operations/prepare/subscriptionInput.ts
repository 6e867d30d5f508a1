import { Address, Bytes32, DecimalString, Frequency } from "@dueday/core/schema";
import { type Static, Type } from "@sinclair/typebox";
import { inBody } from "../../operation/defineOperation";

/** A subscription as the caller believes it to be. Every field that is given has to agree with the chain's record. */
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
  { description: "As a read shows it; amount in whole tokens. 400 with an issue for each field that differs on chain" },
);
export type SubscriptionObject = Static<typeof SubscriptionObject>;

/** Body field of the object forms. */
export const subscriptionInBody = { subscription: inBody(SubscriptionObject) };

/** Body field of the `_by_id` forms. */
export const idInBody = { id: inBody({ ...Bytes32, description: "Id of the subscription" }) };

/** Body field of the removals by a provider. */
export const subscriberInBody = inBody({ ...Address, description: "Who is removed" });

/** What either form names: an id, and perhaps what the caller believes of it. */
export type SubscriptionReference = { id: string } | { subscription: SubscriptionObject };

/** For the documents: ids and objects in the right form, of nobody. */
export const exampleId = `0x${"ab".repeat(32)}`;
export const exampleFrom = "0x1111111111111111111111111111111111111111";
export const exampleSubscriber = "0x3333333333333333333333333333333333333333";
export const exampleSubscription: SubscriptionObject = {
  id: exampleId,
  amount: "12.5",
  provider: "0x2222222222222222222222222222222222222222",
  token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  cancelled: false,
  frequency: 1,
  dueDay: 5,
};
