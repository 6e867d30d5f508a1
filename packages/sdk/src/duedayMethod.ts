import type { CallOptions } from "./callOptions";

/** The method of an operation. Where no input is required, the input may be left out. */
export type DuedayMethod<I, O> = "readinessOnly" extends keyof I
  ? PrepareMethod<I, O>
  : Record<never, never> extends I
    ? (input?: I, options?: CallOptions) => Promise<O>
    : (input: I, options?: CallOptions) => Promise<O>;

/** A prepare answers with what is to be signed; with `readinessOnly` it answers whether the operation is ready, without anything to sign. */
export interface PrepareMethod<I, O> {
  (input: I & { readinessOnly?: false | undefined }, options?: CallOptions): Promise<Prepared<O>>;
  (input: I & { readinessOnly: true }, options?: CallOptions): Promise<ReadinessOnly<O>>;
  (input: I, options?: CallOptions): Promise<O>;
}

/** Of the two forms of a prepare's answer, the one with `unsignedTransactions`: `Prepared<PrepareRemitAnswer>`. */
export type Prepared<O> = Exclude<O, { readinessOnly: true }>;

/** Of the two forms of a prepare's answer, the one that `readinessOnly` asks for. */
export type ReadinessOnly<O> = Extract<O, { readinessOnly: true }>;
