/** Charges a year by frequency (weekly, monthly, quarterly, yearly): so many twelfths of an amount recur each month. */
export const CHARGES_A_YEAR = [52n, 12n, 4n, 1n] as const;

const TWELFTHS = 12n;

/** Twelfths of token units as token units, half to even. */
export function roundTwelfths(twelfths: bigint): bigint {
  const half = TWELFTHS / 2n;
  const rest = ((twelfths % TWELFTHS) + TWELFTHS) % TWELFTHS;
  const down = (twelfths - rest) / TWELFTHS;
  return rest > half || (rest === half && down % 2n !== 0n) ? down + 1n : down;
}
