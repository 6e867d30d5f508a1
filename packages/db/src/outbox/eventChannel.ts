import { type Static, Type } from "@sinclair/typebox";

/** The NOTIFY channel that announces new events. */
export const EVENT_CHANNEL = "dueday_events";

/** The outbox that has grown, and its newest seq; the events are read from the table. */
export const EventMessage = Type.Object({
  chainId: Type.Integer(),
  contract: Type.String(),
  seq: Type.Integer(),
});
export type EventMessage = Static<typeof EventMessage>;
