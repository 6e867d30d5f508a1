import { AsOf } from "@dueday/core/schema";
import { type TProperties, Type } from "@sinclair/typebox";

/** The output of a chain-scoped operation: its own properties between `chainId` and the block that they are true for. */
export function chainAnswer<T extends TProperties>(properties: T) {
  return Type.Object({ chainId: Type.Integer({ minimum: 1 }), ...properties, asOf: AsOf });
}
