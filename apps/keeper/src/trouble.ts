/** Exit codes of the keeper; `--help` lists them. */
export const exitCode = {
  DONE: 0,
  SETTINGS: 1,
  REFUSED: 2,
  BLOCKED: 3,
  TRANSACTION_FAILED: 4,
  UNREACHABLE: 5,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** What keeps the keeper from going on. `message` is for the terminal: no escape codes, no address of a node. */
export class Trouble extends Error {
  override readonly name = "Trouble";

  constructor(
    readonly exitCode: ExitCode,
    message: string,
    /** How long the API asked to be left alone; null where it did not say. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}
