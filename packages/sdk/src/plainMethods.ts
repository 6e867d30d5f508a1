import type { CallOptions } from "./callOptions";
import type { OperationName, Operations } from "./operationTypes";

/** The methods of these operations, each answer in any of its forms: for callers that check at run time which form they have. */
export type PlainMethods<N extends OperationName> = {
  [K in N]: (input: Operations[K]["input"], options?: CallOptions) => Promise<Operations[K]["output"]>;
};
