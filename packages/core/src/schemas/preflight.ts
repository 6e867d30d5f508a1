import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { Issues, Warnings } from "../errors";
import {
  Address,
  CalendarDate,
  Count,
  DecimalString,
  Frequency,
  FrequencyLabel,
  plainText,
  StatusLabel,
  Subscription,
  SubscriptionStatus,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "../schema";

/** What a prepare operation checked first: its own facts, and whether they allow the transaction. */
export function preflight<T extends TProperties>(facts: T) {
  return Type.Object({
    ready: Type.Boolean(),
    ...facts,
    issues: Issues,
    warnings: Warnings,
  });
}

/** `preflight` of cancelling a subscription and of editing its details. */
export const SubscriptionPreflight = preflight({ subscription: Subscription });

const leaving = {
  subscription: Subscription,
  subscriber: Address,
  status: Type.Optional(SubscriptionStatus),
  statusLabel: Type.Optional(StatusLabel),
  standing: Type.Union([Type.Literal("active"), Type.Literal("unsubscribed"), Type.Literal("stranger")], {
    description: "stranger, without status: never subscribed, or removed by the protocol's janitor",
  }),
  feeBalance: DecimalString,
  feeBalanceRaw: TokenUnits,
  tokenDecimals: TokenDecimals,
};
/** What the end of a subscription does. */
export const Leaving = Type.Object(leaving);
export type LeavingFacts = Static<typeof Leaving>;

/** `preflight` of the end of a subscriber's subscription, by either side. */
export const LeavingPreflight = preflight(leaving);

const create = {
  token: Address,
  tokenSymbol: UntrustedText,
  amount: DecimalString,
  amountRaw: TokenUnits,
  tokenDecimals: TokenDecimals,
  minimum: DecimalString,
  minimumRaw: TokenUnits,
  frequency: Frequency,
  frequencyLabel: FrequencyLabel,
  dueDay: Type.Integer({ minimum: 1, maximum: 365 }),
  nextDueDate: CalendarDate,
};
const Create = Type.Object(create);
export type CreateFacts = Static<typeof Create>;

/** `preflight` of creating a subscription. */
export const CreatePreflight = preflight(create);

const approve = {
  subscription: Type.Optional({
    ...Subscription,
    description:
      "The subscription whose periods are counted: the one named, else the one with the longest period of all paid in the token",
  }),
  token: Address,
  allowance: DecimalString,
  allowanceRaw: TokenUnits,
  balance: DecimalString,
  balanceRaw: TokenUnits,
  approval: DecimalString,
  approvalRaw: TokenUnits,
  tokenDecimals: TokenDecimals,
  runway: Type.Object(
    { periodsByAllowance: Count, periodsByBalance: Count },
    {
      description:
        "How many charges of this subscription the new allowance covers, and how many the present balance, each at most 120, when everything else that the wallet pays in the token is counted too",
    },
  ),
};
const Approve = Type.Object(approve);
export type ApproveFacts = Static<typeof Approve>;

/** `preflight` of renewing an allowance. */
export const ApprovePreflight = preflight(approve);

/** Unchanged text: a profile may have several lines. */
const ProfileText = plainText(4_096);

const profile = {
  provider: Address,
  profile: Type.Object({
    description: ProfileText,
    company: ProfileText,
    url: ProfileText,
    domain: ProfileText,
    email: ProfileText,
    misc: ProfileText,
  }),
};
const Profile = Type.Object(profile);
export type ProfileFacts = Static<typeof Profile>;

/** `preflight` of editing a provider's profile. */
export const ProfilePreflight = preflight(profile);
