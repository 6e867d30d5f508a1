/** Takes finished lines as bytes, each written where `begin` says. */
export type LineBlock = {
  /** What lines are written into. */
  readonly block: Uint8Array;
  /**
   * Makes room for a line.
   *
   * @param longest bytes that it takes at most, its end included; `BLOCK_BYTES` at most
   * @returns where in `block` it begins; it has to be ended before anything else is written
   */
  begin(longest: number): number;
  /** @param at where in `block` the line that was begun has ended */
  end(at: number): void;
};

export const BLOCK_BYTES = 65_536;
