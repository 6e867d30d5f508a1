import type { Input, Output, operations } from "@dueday/api/operations/operations";
import type { DomainEvent, EventType } from "@dueday/core/domainEvents/domainEvent";
import type { ErrorCode, Issue } from "@dueday/core/errors";
import type { Revert } from "@dueday/core/reverts/revert";
import type { WebhookChallenge, WebhookTest } from "@dueday/core/webhooks/webhook";
import type { DuedayMethod } from "./duedayMethod";

/**
 * The types of the service, inferred from its list of operations. This is the only file that knows where they come from: the
 * published package has a generated one in its place, with the same types written out, a comment and an example for each method, and names
 * for its types (`GetSubscriptionInput`, `GetSubscriptionAnswer`, `GetSubscriptionError`).
 */
export type Operations = {
  [O in Listed as CamelCase<O["name"]>]: { input: Sendable<InputOf<O["name"]>>; output: OutputOf<O["name"]> };
};

/** The name of an operation in camelCase: `get_subscriptions_due` is `getSubscriptionsDue`. */
export type OperationName = keyof Operations;

/** One method for each operation of the service. */
export type DuedayMethods = {
  [N in OperationName]: DuedayMethod<Operations[N]["input"], Operations[N]["output"]>;
};

/** The operations whose answer has two forms. */
export type PrepareName = {
  [N in OperationName]: "readinessOnly" extends keyof Operations[N]["input"] ? N : never;
}[OperationName];

/**
 * Something that happened, as the event stream and webhooks deliver it. `type` decides what `data` has. `id` is the same in every
 * delivery; `seq` is the position in the chain's sequence of events.
 */
export type DuedayEvent = DomainEvent;

export type { ErrorCode, EventType, Issue, Revert, WebhookChallenge, WebhookTest };

type Listed = (typeof operations)[number];

/** Without `detail`: a program gets the whole answer, which is what `output` describes. */
type InputOf<N extends Listed["name"]> = Omit<Input<N>, "detail">;

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** With events whose `type` decides their `data`, which a schema made from a list of types can't express. */
type OutputOf<N extends Listed["name"]> = N extends "list_events"
  ? Omit<Output<N>, "events"> & { events: DuedayEvent[] }
  : Output<N>;

/** An optional property may be left out or undefined, and a list may be readonly. */
type Sendable<I> = {
  [K in keyof I]: Record<never, never> extends Pick<I, K> ? Unchanged<I[K]> | undefined : Unchanged<I[K]>;
};

type Unchanged<T> = T extends (infer E)[] ? readonly E[] : T;
