import answers from "./answerExamples.json";

/** An answer of each operation that is a tool, taken from the demo chain by `answerExamples.test.ts`. */
export const answerExamples: Readonly<Record<string, unknown>> = answers;
