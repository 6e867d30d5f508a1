/** Charges per year by frequency (weekly, monthly, quarterly, yearly). The revenue of a month is this number of twelfths of an amount. */
export const CHARGES_A_YEAR = [52n, 12n, 4n, 1n] as const;

const TWELFTHS = 12n;

/** Converts twelfths of token units to token units, rounding half to even. */
export function roundTwelfths(twelfths: bigint): bigint {
  const half = TWELFTHS / 2n;
  const rest = ((twelfths % TWELFTHS) + TWELFTHS) % TWELFTHS;
  const down = (twelfths - rest) / TWELFTHS;
  return rest > half || (rest === half && down % 2n !== 0n) ? down + 1n : down;
}
