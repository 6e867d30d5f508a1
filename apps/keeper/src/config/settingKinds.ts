import { Type } from "@sinclair/typebox";

/** Kinds of values beside those of the service's own settings; `description` completes the sentence "must be ...". */

const DECIMAL = /^([0-9]{1,12})(?:\.([0-9]+))?$/;

/** A decimal number in units of 10^-decimals, such as ether in wei. `example` shows its form. */
export function decimal(unit: string, decimals: number, example: string) {
  return Type.Transform(
    Type.String({ description: `a number of ${unit} without sign or exponent, such as ${example}` }),
  )
    .Decode((text) => {
      const [, whole = "", fraction = ""] = DECIMAL.exec(text) ?? [];
      if (whole === "" || fraction.length > decimals) throw new RangeError("not allowed");
      return BigInt(`${whole}${fraction.padEnd(decimals, "0")}`);
    })
    .Encode(String);
}

/** Seconds, with or without a fraction, decoded to milliseconds. */
export function seconds(minimum: number, maximum: number) {
  return Type.Transform(Type.String({ description: `${minimum} to ${maximum} seconds` }))
    .Decode((text) => {
      const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
      if (!(value >= minimum && value <= maximum)) throw new RangeError("not allowed");
      return Math.round(value * 1000);
    })
    .Encode(String);
}
