import type { DocumentedFacts, Operation } from "../../operation/defineOperation";
import answers from "./answerExamples.json";
import { camelCase } from "./camelCase";
import { type Json, plain } from "./plain";

/** An answer of each operation, taken from the demo chain by `answerExamples.test.ts`. */
export const answerExamples: Readonly<Record<string, unknown>> = answers;

/** The examples of answers for the components of the document, by operation id: recorded, or made from the settings of the service. */
export function exampleComponents(operations: readonly Operation[], service: DocumentedFacts): { [id: string]: Json } {
  return Object.fromEntries(
    operations.flatMap(({ name, exampleAnswer }) => {
      const value = exampleAnswer?.(service) ?? answerExamples[name];
      // A new operation has none until it is recorded.
      return value === undefined ? [] : [[camelCase(name), { value: plain(value) }]];
    }),
  );
}
