import type { CallOptions } from "./callOptions";
import type { OperationName, Operations } from "./operationTypes";

/** These operations, with an answer that may be any of its forms: for code that checks itself which form it has. */
export type PlainMethods<N extends OperationName> = {
  [K in N]: (input: Operations[K]["input"], options?: CallOptions) => Promise<Operations[K]["output"]>;
};
