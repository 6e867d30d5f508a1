import { Address, DecimalString, IntegerString, Subscription } from "@dueday/core/schema";
import { type Static, Type } from "@sinclair/typebox";
import { preflight } from "./preflight";

/** `preflight` of what concerns a subscription alone: cancel, edit. */
export const SubscriptionPreflight = preflight({ subscription: Subscription });

const leaving = {
  subscription: Subscription,
  subscriber: Address,
  status: Type.Union([Type.Literal("active"), Type.Literal("unsubscribed"), Type.Literal("stranger")]),
  feeBalance: DecimalString,
  feeBalanceRaw: IntegerString,
  tokenDecimals: Type.Integer({ minimum: 0, maximum: 255 }),
};

const Leaving = Type.Object(leaving);
export type LeavingFacts = Static<typeof Leaving>;

/** `preflight` of a subscriber's leaving. */
export const LeavingPreflight = preflight(leaving);
