import type { Operations } from "@dueday/sdk";

/** The record of a subscription, as an answer has it. */
export type Subscription = Operations["getSubscription"]["output"]["subscription"];

/** Properties of the parts of the page. */
export type OfSubscription = { subscription: Subscription };
