import { AsOf, ChainId } from "@dueday/core/schema";
import { type TProperties, Type } from "@sinclair/typebox";

/** Output schema of a chain-scoped operation: `chainId`, its own properties, and the block that they describe. */
export function chainAnswer<T extends TProperties>(properties: T) {
  return Type.Object({ chainId: ChainId, ...properties, asOf: AsOf });
}
