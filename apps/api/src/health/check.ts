import { described, Sentence } from "@dueday/core/schema";
import { type Static, Type } from "@sinclair/typebox";

/** State of one part of the service, with the reason where it is not `ok`; `off` is a part of which this new process knows nothing yet. */
export const Check = Type.Object({
  status: Type.Union([Type.Literal("ok"), Type.Literal("degraded"), Type.Literal("down"), Type.Literal("off")]),
  reason: Type.Optional(described(Sentence, "Why, where it is not ok")),
});
export type Check = Static<typeof Check>;
