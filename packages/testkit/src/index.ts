/** A private chain with the whole Dueday service on it, for tests. */

export type { Chain, Snapshot, TravelTarget } from "./chain/createChain";
export type { Checkout, CheckoutOptions, PaidCheckout } from "./chain/createCheckout";
export type { Duration } from "./chain/parseDuration";
export type { Developer, StackWebhook, WebhookOptions } from "./createDeveloper";
export type { Hex, Scenario, StackFacts, Token, Wallet } from "./facts";
export { type Dueday, type StartOptions, startDueday } from "./startDueday";
