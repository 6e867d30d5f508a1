import type { Operations } from "@dueday/sdk";

/** The record of a subscription, as an answer has it. */
export type Subscription = Operations["getSubscription"]["output"]["subscription"];

/** What the parts of the page get. */
export type OfSubscription = { subscription: Subscription };
