/** Exit codes of the keeper; `--help` lists them. */
export const exitCode = {
  DONE: 0,
  SETTINGS: 1,
  REFUSED: 2,
  BLOCKED: 3,
  TRANSACTION_FAILED: 4,
  UNREACHABLE: 5,
  UNPROFITABLE: 6,
  OUT_OF_GAS: 7,
  /** A bug. */
  INTERNAL: 70,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** A failure with its exit code. `message` is for the terminal: it has no escape codes, no URL of a node and no secret. */
export class KeeperError extends Error {
  override readonly name = "KeeperError";

  constructor(
    readonly exitCode: ExitCode,
    message: string,
    /** How long the other side asks to wait, in milliseconds; null where it does not. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}
