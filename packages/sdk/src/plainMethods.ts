import type { CallOptions } from "./callOptions";
import type { OperationName, Operations } from "./operationTypes";

/** These operations, each with any form of its answer: what code that judges an answer by itself needs. */
export type PlainMethods<N extends OperationName> = {
  [K in N]: (input: Operations[K]["input"], options?: CallOptions) => Promise<Operations[K]["output"]>;
};
