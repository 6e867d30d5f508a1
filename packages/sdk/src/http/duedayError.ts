import type { ErrorCode, Issue, Revert } from "../operationTypes";

/**
 * Every code that a call can fail with: those of the service, and what happens on the way to it.
 *
 * - `NETWORK_ERROR`: the service can't be reached, or the connection broke.
 * - `TIMEOUT`: there was no answer within `timeoutMs`.
 * - `INVALID_ANSWER`: the answer is not one of this service, for example a proxy's page.
 * - `REFUSED`: nothing was signed, because what was prepared is not what was asked for, or an approval is above its bound or missing.
 * - `TRANSACTION_FAILED`: a transaction that was signed and sent reverted, was replaced in the wallet, or created no subscription.
 * - `WALLET_FAILED`: only from the hooks that use a wallet. No wallet is connected, its owner refused, or its node failed; `cause` is the error
 *   of wagmi or viem.
 */
export type DuedayErrorCode =
  | ErrorCode
  | "NETWORK_ERROR"
  | "TIMEOUT"
  | "INVALID_ANSWER"
  | "REFUSED"
  | "TRANSACTION_FAILED"
  | "WALLET_FAILED";

/** The facts of a {@link DuedayError} besides its code and message. */
export type DuedayErrorFacts = {
  /** HTTP status; null where no answer arrived. */
  status?: number | null;
  /** One entry for each fault of the input, or each rule that refuses. */
  issues?: readonly Issue[];
  /** The decoded revert, where the chain refused. */
  revert?: Revert | null;
  /** Quote this id to the operator of the service, whose log has the details under it. */
  requestId?: string | null;
  /** Path on the service that has the code's cause and repair; null for the codes of this client. */
  docs?: string | null;
  /** Seconds after which the same call may succeed. */
  retryAfter?: number | null;
  /** The whole error body, for the fields of single codes, such as `bucket` and `limit` of RATE_LIMITED. */
  body?: Readonly<Record<string, unknown>>;
  cause?: unknown;
};

/**
 * The one error that a call rejects with, except for an abort, which rejects with the reason of its signal.
 *
 * @example
 * try {
 *   await dueday.prepareRemit({ from });
 * } catch (error) {
 *   if (DuedayError.is(error, "NOT_READY")) console.log(error.issues);
 *   else throw error;
 * }
 */
export class DuedayError<C extends DuedayErrorCode = DuedayErrorCode> extends Error {
  override readonly name = "DuedayError";
  readonly status: number | null;
  readonly issues: readonly Issue[];
  readonly revert: Revert | null;
  readonly requestId: string | null;
  readonly docs: string | null;
  readonly retryAfter: number | null;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: C,
    message: string,
    facts: DuedayErrorFacts = {},
  ) {
    super(message, { cause: facts.cause });
    this.status = facts.status ?? null;
    this.issues = facts.issues ?? [];
    this.revert = facts.revert ?? null;
    this.requestId = facts.requestId ?? null;
    this.docs = facts.docs ?? null;
    this.retryAfter = facts.retryAfter ?? null;
    this.body = facts.body ?? {};
  }

  /** Whether `error` is a DuedayError, of one of these codes if any is given. */
  static is<K extends DuedayErrorCode = DuedayErrorCode>(
    error: unknown,
    ...codes: readonly K[]
  ): error is DuedayError<K> {
    if (!(error instanceof DuedayError)) return false;
    return codes.length === 0 || codes.some((code) => code === error.code);
  }
}
