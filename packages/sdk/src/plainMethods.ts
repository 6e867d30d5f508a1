import type { CallOptions } from "./callOptions";
import type { OperationName, Operations } from "./operationTypes";

/** These operations, each with any form of its answer, for code that checks the form itself. */
export type PlainMethods<N extends OperationName> = {
  [K in N]: (input: Operations[K]["input"], options?: CallOptions) => Promise<Operations[K]["output"]>;
};
