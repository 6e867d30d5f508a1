import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { Issue, Warning } from "../errors";
import {
  Address,
  CalendarDate,
  DecimalString,
  Frequency,
  FrequencyLabel,
  IntegerString,
  Subscription,
  UntrustedText,
} from "../schema";

const TokenDecimals = Type.Integer({ minimum: 0, maximum: 255 });

/** What a prepare operation checked first: its own facts, and whether they allow the transaction. */
export function preflight<T extends TProperties>(facts: T) {
  return Type.Object({
    ready: Type.Boolean(),
    ...facts,
    issues: Type.Array(Issue),
    warnings: Type.Array(Warning),
  });
}

/** `preflight` of cancelling a subscription and of editing its details. */
export const SubscriptionPreflight = preflight({ subscription: Subscription });

const leaving = {
  subscription: Subscription,
  subscriber: Address,
  status: Type.Union([Type.Literal("active"), Type.Literal("unsubscribed"), Type.Literal("stranger")]),
  feeBalance: DecimalString,
  feeBalanceRaw: IntegerString,
  tokenDecimals: TokenDecimals,
};
const Leaving = Type.Object(leaving);
export type LeavingFacts = Static<typeof Leaving>;

/** `preflight` of the end of a subscriber's subscription, by either side. */
export const LeavingPreflight = preflight(leaving);

const create = {
  token: Address,
  tokenSymbol: UntrustedText,
  amount: DecimalString,
  amountRaw: IntegerString,
  tokenDecimals: TokenDecimals,
  minimum: DecimalString,
  minimumRaw: IntegerString,
  frequency: Frequency,
  frequencyLabel: FrequencyLabel,
  dueDay: Type.Integer({ minimum: 1, maximum: 365 }),
  nextDueDate: CalendarDate,
};
const Create = Type.Object(create);
export type CreateFacts = Static<typeof Create>;

/** `preflight` of creating a subscription. */
export const CreatePreflight = preflight(create);
