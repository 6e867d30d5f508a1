import { formatUnits } from "@dueday/core/amounts/decimalText";

/** An amount under its own name, in whole tokens, and the same in token units under that name with `Raw`. */
export function amountPair<const N extends string>(name: N, units: bigint, decimals: number) {
  // Computed keys lose their names in TypeScript.
  return { [name]: formatUnits(units, decimals), [`${name}Raw`]: String(units) } as Record<N | `${N}Raw`, string>;
}
