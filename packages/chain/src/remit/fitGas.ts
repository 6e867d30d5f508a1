/** Payments that one remit() handled, and the gas that it took. */
export type GasPoint = { payments: number; gasUsed: bigint };

/**
 * Gas of a remit() by its payments: the straight line through what other calls took (least squares, in integers, rounded up).
 * Where all of them handled the same number, gas is proportional to it. Null without any point.
 */
export function fitGas(points: readonly GasPoint[]): ((payments: number) => bigint) | null {
  const [first] = points;
  if (first === undefined) return null;
  let [sumX, sumY, sumXX, sumXY] = [0n, 0n, 0n, 0n];
  for (const { payments, gasUsed } of points) {
    const x = BigInt(payments);
    sumX += x;
    sumY += gasUsed;
    sumXX += x * x;
    sumXY += x * gasUsed;
  }
  const n = BigInt(points.length);
  const spread = n * sumXX - sumX * sumX;
  if (spread === 0n) {
    const payments = first.payments > 0 ? BigInt(first.payments) : 1n;
    return (count) => ceilDivide(sumY * BigInt(Math.max(1, count)), n * payments);
  }
  const slope = n * sumXY - sumX * sumY;
  return (count) => {
    const gas = ceilDivide(sumY * spread - slope * sumX + slope * n * BigInt(count), n * spread);
    return gas > 0n ? gas : 0n;
  };
}

/** For a positive divisor. */
function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return dividend <= 0n ? dividend / divisor : (dividend + divisor - 1n) / divisor;
}
