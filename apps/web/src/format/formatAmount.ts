/** Amounts arrive as decimal strings and stay text: a float would change the last digits. */
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;
const GROUPED = new Intl.NumberFormat("en-US");
/** The most digits after the point that are shown by default; the whole amount is in the title. */
const SHOWN_DIGITS = 6;

/**
 * Groups the digits of a decimal string: `1234567.5` is `1,234,567.50`. At least two digits follow the point; more than `mostDigits`
 * are cut off, never rounded up, and `…` marks the cut, so that the text never shows more than there is. A positive amount that would
 * be cut to zero is shown as less than the smallest amount with `mostDigits` digits, such as `< 0.000001`.
 *
 * @throws RangeError for a text that is not a decimal number
 */
export function formatAmount(amount: string, mostDigits: number = SHOWN_DIGITS): string {
  const [, sign, whole, fraction = ""] = DECIMAL.exec(amount) ?? [];
  if (whole === undefined) throw new RangeError("an amount must be a decimal number");
  const trimmed = withoutTrailingZeros(fraction);
  const shown = trimmed.slice(0, mostDigits);
  const isCut = trimmed.length > mostDigits;
  const isCutToZero = isCut && BigInt(whole + shown) === 0n;
  if (isCutToZero && sign === "") return `< 0.${"1".padStart(mostDigits, "0")}`;
  return `${sign}${formatInteger(whole)}.${shown.padEnd(2, "0")}${isCut ? "…" : ""}`;
}

/**
 * Groups the digits as `formatAmount` does, with exactly `digits` digits after the point: further digits are cut off without a mark, even where zero is
 * left.
 *
 * @throws RangeError for a text that is not a decimal number
 */
export function formatFixed(amount: string, digits: number): string {
  const [, sign, whole, fraction = ""] = DECIMAL.exec(amount) ?? [];
  if (whole === undefined) throw new RangeError("an amount must be a decimal number");
  return `${sign}${formatInteger(whole)}.${fraction.slice(0, digits).padEnd(digits, "0")}`;
}

/** Groups the digits of a whole number: a count, a block, gas. */
export function formatInteger(value: number | bigint | string): string {
  return GROUPED.format(BigInt(value));
}

const ORDER_DECIMALS = 77;

/** A key that orders amounts of tokens with different decimals. */
export function amountOrder(amount: string): bigint {
  return decimalToUnits(amount, ORDER_DECIMALS) ?? 0n;
}

/** Units of a token (or wei) as a decimal string of whole tokens. */
export function unitsToDecimal(units: bigint, decimals: number): string {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? "" : withoutTrailingZeros(digits.slice(-decimals));
  return `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** A decimal string as units of a token; null where it is not a decimal number, or has more decimals than the token. */
export function decimalToUnits(decimal: string, decimals: number): bigint | null {
  const [, sign, whole, fraction = ""] = DECIMAL.exec(decimal) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  const units = BigInt(whole + fraction.padEnd(decimals, "0"));
  return sign === "-" ? -units : units;
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}
